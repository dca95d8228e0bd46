//! Output files. A file is either whole or not there: it is written beside its place and then moved into it. Whatever is
//! not a file (a device, a pipe) is written to and never replaced, and links are followed, as other programs do.

use anyhow::{Context, Result};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf, is_separator};
use tempfile::NamedTempFile;

/// Files in the making are called `.NAME.…` with this at the end.
pub const PARTIAL: &str = ".partial";

/// Writes a file as a whole; its folder is made if need be.
///
/// # Errors
/// When it cannot be written; then what was there before is still there.
pub fn save(path: &Path, text: &str) -> Result<()> {
    if let Ok(Place::File(file)) = Place::of(path)
        && let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty())
    {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    save_in_folder(path, text)
}

/// As [`save`], where a folder that is missing is an error: somebody took it away, or its name is mistyped.
///
/// # Errors
/// As [`save`].
pub fn save_in_folder(path: &Path, text: &str) -> Result<()> {
    let written = match Place::of(path) {
        Ok(Place::File(_)) => Pending::create(path).and_then(|mut pending| {
            pending.file().write_all(text.as_bytes())?;
            pending.finish()
        }),
        Ok(Place::Special(path)) => open_special(&path).and_then(|mut file| file.write_all(text.as_bytes())),
        Err(error) => Err(error),
    };
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a file that nobody else may read, as a whole; its folder is there. What was there before is replaced, with its permissions.
///
/// # Errors
/// When it cannot be written.
pub fn save_secret(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Where permissions are those of Unix, a temporary file is for its owner alone from its first moment on.
    let written =
        tempfile::Builder::new().prefix(".secret.").suffix(PARTIAL).tempfile_in(folder).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.persist(path).map_err(|error| error.error)
        });
    written.map(drop).with_context(|| format!("cannot write {}", path.display()))
}

/// An error if nothing could be saved to this path: better before the work than after it. Nothing is changed, and nothing is
/// sent to a device or a pipe, so that these may still fail.
///
/// # Errors
/// When the folder is missing or cannot be written, a folder is in the way, or the file may not be written.
pub fn can_save(path: &Path) -> Result<()> {
    let tried = match Place::of(path) {
        Ok(Place::File(_)) => Pending::create(path).map(drop),
        Ok(Place::Special(path)) => can_write_special(&path),
        Err(error) => Err(error),
    };
    tried.with_context(|| format!("cannot write {}", path.display()))
}

/// Whether a path can be saved to again and again, each time in place of what was there. A device or a pipe cannot: what is
/// written there cannot be taken back, so it gets the last version only.
pub fn is_replaceable(path: &Path) -> bool {
    // What is wrong with a path shows when it is saved to.
    !matches!(Place::of(path), Ok(Place::Special(_)))
}

/// For those who write a file under its name themselves, as a whole and safely: `write` gets the path of a file behind all
/// links. Where there is a device or a pipe it gets a temporary one, and what it wrote is sent on.
///
/// # Errors
/// When `write` fails, or what it wrote cannot be sent on.
pub fn through<T>(path: &Path, write: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
    let problem = || format!("cannot write {}", path.display());
    match Place::of(path).with_context(problem)? {
        Place::File(file) => write(&file),
        Place::Special(special) => {
            let folder = tempfile::tempdir().with_context(problem)?;
            let file = folder.path().join(path.file_name().unwrap_or("file".as_ref()));
            let written = write(&file)?;
            let copied = File::open(&file).and_then(|mut from| io::copy(&mut from, &mut open_special(&special)?));
            copied.with_context(problem)?;
            Ok(written)
        }
    }
}

/// Where a path leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// To a file, or to where there is nothing yet: the path behind all links.
    File(PathBuf),
    /// To a device, a pipe or a file that is open already (`/dev/stdout`): to be written to and never replaced.
    Special(PathBuf),
}

impl Place {
    /// Follows the links.
    ///
    /// # Errors
    /// When the path is that of a folder, or cannot be followed.
    pub fn of(path: &Path) -> io::Result<Place> {
        let folder = || io::Error::new(ErrorKind::IsADirectory, "a folder is there");
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => Err(folder()),
            Ok(about) if !about.is_file() => Ok(Place::Special(path.to_path_buf())),
            Ok(_) => Ok(behind_links(path)?.map_or_else(|| Place::Special(path.to_path_buf()), Place::File)),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if path.file_name().is_none() || path.to_string_lossy().ends_with(is_separator) {
                    return Err(folder());
                }
                Ok(behind_links(path)?.map_or_else(|| Place::Special(path.to_path_buf()), Place::File))
            }
            Err(error) => Err(error),
        }
    }
}

/// How many links may stand one behind the other; systems allow about as many.
const MOST_LINKS: usize = 40;

/// What a path comes to when the links at its end are followed, be there something or not. `None` for the open files of a
/// process: their links only look as if they had a path.
fn behind_links(path: &Path) -> io::Result<Option<PathBuf>> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        if ["/proc", "/dev/fd"].iter().any(|opened| path.starts_with(opened)) {
            return Ok(None);
        }
        match fs::read_link(&path) {
            // What a link says is meant from its own folder; an absolute path stays as it is.
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(Some(path)),
        }
    }
    Err(io::Error::other("too many links, one behind the other"))
}

/// Opens what is written to in its place. What is there already stays: it may be the file to which somebody sends our output.
fn open_special(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).open(path)
}

#[cfg(unix)]
fn can_write_special(path: &Path) -> io::Result<()> {
    // Opening a pipe would wait for its reader, and closing it again would end it for them.
    Ok(rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?)
}

#[cfg(not(unix))]
fn can_write_special(path: &Path) -> io::Result<()> {
    open_special(path).map(drop)
}

/// A file in the making, for those who write more than a text: written bit by bit, with going back, and then
/// [finished](Pending::finish). Dropped instead, it leaves nothing behind.
pub struct Pending {
    work: Work,
}

enum Work {
    /// Written beside its place, and moved into it.
    Beside(NamedTempFile, PathBuf),
    /// Written somewhere, and copied to where nothing can be replaced.
    Apart(File, Target),
}

enum Target {
    /// A device or a pipe.
    Special(PathBuf),
    /// A file in a folder that takes no new ones.
    Fixed(PathBuf),
}

impl Pending {
    /// Begins a file whose folder is there.
    ///
    /// # Errors
    /// When it could not be finished because of where it is to be.
    pub fn create(path: &Path) -> io::Result<Pending> {
        let file = match Place::of(path)? {
            Place::Special(path) => {
                return Ok(Pending { work: Work::Apart(tempfile::tempfile()?, Target::Special(path)) });
            }
            Place::File(file) => file,
        };
        // A file that may not be written is not to be replaced either, although the folder would allow it.
        let exists = match OpenOptions::new().write(true).open(&file) {
            Ok(_) => true,
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            Err(error) => return Err(error),
        };
        match beside(&file) {
            Ok(temporary) => Ok(Pending { work: Work::Beside(temporary, file) }),
            Err(error) if exists && is_refused(&error) => {
                Ok(Pending { work: Work::Apart(tempfile::tempfile()?, Target::Fixed(file)) })
            }
            Err(error) => Err(error),
        }
    }

    /// The file to write to.
    pub fn file(&mut self) -> &mut File {
        match &mut self.work {
            Work::Beside(temporary, _) => temporary.as_file_mut(),
            Work::Apart(file, _) => file,
        }
    }

    /// Gives the file its name. A file that was there keeps its permissions.
    ///
    /// # Errors
    /// When that fails; then what was there before is still there, unless its folder takes no new files.
    pub fn finish(self) -> io::Result<()> {
        match self.work {
            Work::Beside(temporary, path) => {
                if let Ok(about) = fs::metadata(&path) {
                    temporary.as_file().set_permissions(about.permissions())?;
                }
                temporary.persist(&path).map_err(|error| error.error)?;
                Ok(())
            }
            Work::Apart(mut file, target) => {
                io::Seek::rewind(&mut file)?;
                let mut to = match target {
                    Target::Special(path) => open_special(&path)?,
                    Target::Fixed(path) => OpenOptions::new().write(true).truncate(true).open(path)?,
                };
                io::copy(&mut file, &mut to)?;
                Ok(())
            }
        }
    }
}

/// A new file beside this one, with the permissions that new files get here.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(PARTIAL);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // What the process masks is taken off when the file is made.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Whether a folder takes no new files.
fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What lies in a folder.
    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[cfg(unix)]
    #[test]
    fn secrets_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        save(&path, "open").unwrap();
        assert_ne!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "this test would show nothing");
        save_secret(&path, "hidden").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), names(folder.path()).len()), ("hidden", 1));
        let error = save_secret(&folder.path().join("missing/secret"), "x").unwrap_err();
        assert!(error.to_string().contains("cannot write"), "{error}");
    }

    #[test]
    fn a_file_is_made_and_replaced_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/file");
        assert!(can_save(&path).is_err() && save_in_folder(&path, "").is_err(), "there is no folder yet");
        save(&path, "one").unwrap();
        can_save(&path).unwrap();
        assert!(is_replaceable(&path));
        save(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(names(path.parent().unwrap()), ["file"], "nothing else is left");
    }

    #[test]
    fn folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_path_buf(), folder.path().join("new/"), PathBuf::from("."), PathBuf::new()] {
            for tried in [save(&path, ""), can_save(&path)] {
                let error = format!("{:#}", tried.unwrap_err());
                assert!(error.contains("cannot write") && error.contains("a folder is there"), "{error}");
            }
        }
        let below = folder.path().join("file/below");
        fs::write(folder.path().join("file"), "").unwrap();
        assert!(save(&below, "").is_err() && can_save(&below).is_err());
        assert_eq!(names(folder.path()), ["file"]);
    }

    #[test]
    fn what_is_given_up_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut pending = Pending::create(&path).unwrap();
        pending.file().write_all(b"half").unwrap();
        let beside = names(folder.path());
        assert!(beside[0].starts_with(".file.") && beside[0].ends_with(PARTIAL), "{beside:?}");
        drop(pending);
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(unix)]
    mod unix {
        use super::super::*;
        use super::names;
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        use std::process::Command;

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().permissions().mode() & 0o777
        }

        #[test]
        fn permissions_are_kept_and_new_files_are_like_others() {
            let folder = tempfile::tempdir().unwrap();
            let [old, new, other] = ["old", "new", "other"].map(|name| folder.path().join(name));
            fs::write(&old, "").unwrap();
            fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
            save(&old, "text").unwrap();
            assert_eq!(mode(&old), 0o640);
            save(&new, "text").unwrap();
            fs::write(&other, "").unwrap();
            assert_eq!(mode(&new), mode(&other));
        }

        #[test]
        fn links_are_written_through() {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("below")).unwrap();
            let [file, link, far, dangling, around] =
                ["file", "link", "below/far", "dangling", "around"].map(|name| folder.path().join(name));
            fs::write(&file, "old").unwrap();
            symlink("file", &link).unwrap();
            symlink("../link", &far).unwrap();
            symlink("below/made", &dangling).unwrap();
            symlink("around", &around).unwrap();
            save(&far, "new").unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), "new");
            can_save(&dangling).unwrap();
            assert!(!folder.path().join("below/made").exists());
            save(&dangling, "made").unwrap();
            assert_eq!(fs::read_to_string(folder.path().join("below/made")).unwrap(), "made");
            for link in [&link, &far, &dangling] {
                assert!(fs::symlink_metadata(link).unwrap().is_symlink(), "{link:?} is a link still");
            }
            assert!(save(&around, "").is_err() && can_save(&around).is_err());
            assert_eq!(names(folder.path()), ["around", "below", "dangling", "file", "link"]);
        }

        #[test]
        fn devices_are_written_to() {
            for name in ["/dev/null", "/dev/full"] {
                let path = Path::new(name);
                let before = fs::metadata(path).unwrap();
                can_save(path).unwrap();
                assert!(!is_replaceable(path));
                let saved = save(path, "text");
                assert_eq!(saved.is_ok(), name == "/dev/null", "{saved:?}");
                let mut pending = Pending::create(path).unwrap();
                pending.file().write_all(b"text").unwrap();
                assert_eq!(pending.finish().is_ok(), name == "/dev/null");
                let after = fs::metadata(path).unwrap();
                assert!(after.file_type().is_char_device() && after.permissions() == before.permissions());
            }
        }

        #[test]
        fn a_pipe_gets_the_text_once() {
            let folder = tempfile::tempdir().unwrap();
            let pipe = folder.path().join("pipe");
            assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            // Nobody reads yet, and whoever asks does not wait for it.
            can_save(&pipe).unwrap();
            assert!(!is_replaceable(&pipe));
            let reader = {
                let pipe = pipe.clone();
                std::thread::spawn(move || fs::read_to_string(pipe).unwrap())
            };
            save(&pipe, "text").unwrap();
            assert_eq!(reader.join().unwrap(), "text");
            assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
            assert_eq!(names(folder.path()), ["pipe"]);
        }

        #[test]
        fn whoever_writes_under_a_name_writes_through_links_and_to_devices() {
            let folder = tempfile::tempdir().unwrap();
            let [link, pipe] = ["link", "pipe"].map(|name| folder.path().join(name));
            symlink("file", &link).unwrap();
            let write = |path: &Path| Ok(fs::write(path, "text")?);
            through(&link, write).unwrap();
            assert_eq!(fs::read_to_string(folder.path().join("file")).unwrap(), "text");
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            through(Path::new("/dev/null"), write).unwrap();
            let error = through(Path::new("/dev/full"), write).unwrap_err();
            assert!(error.to_string().contains("cannot write /dev/full"), "{error}");
            assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            let reader = {
                let pipe = pipe.clone();
                std::thread::spawn(move || fs::read_to_string(pipe).unwrap())
            };
            through(&pipe, write).unwrap();
            assert_eq!(reader.join().unwrap(), "text");
            assert!(through(folder.path(), write).is_err());
        }

        #[test]
        fn an_open_file_is_added_to() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("file");
            fs::write(&path, "before ").unwrap();
            let opened = File::open(&path).unwrap();
            let name = format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&opened));
            assert!(!is_replaceable(Path::new(&name)));
            save(Path::new(&name), "after").unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), "before after");
        }

        #[test]
        fn a_folder_that_takes_no_files_is_found_before_the_work() {
            // Nobody can make a file here, not even the administrator.
            let path = Path::new("/proc/self/new");
            assert!(can_save(path).is_err() && save(path, "").is_err());
            let folder = tempfile::tempdir().unwrap();
            let [new, old] = ["new", "old"].map(|name| folder.path().join(name));
            fs::write(&old, "old").unwrap();
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
            // The administrator may write anywhere.
            if fs::write(folder.path().join("probe"), "").is_err() {
                assert!(can_save(&new).is_err() && save(&new, "").is_err());
            }
            // A file that is there can be written, as other programs do.
            can_save(&old).unwrap();
            save(&old, "new").unwrap();
            assert_eq!(fs::read_to_string(&old).unwrap(), "new");
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}
