// What is asked of the server.

const token = document.querySelector('meta[name=studio-token]').content;

async function answer(response) {
  if (response.ok) return response.json();
  let words = `${response.status} ${response.statusText}`;
  try { words = (await response.json()).error ?? words; } catch { /* The status says it. */ }
  throw new Error(words);
}

export async function get(address) {
  return answer(await fetch(address, { headers: { accept: 'application/json' } }));
}

export async function post(address, body = {}) {
  return answer(await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-studio-token': token },
    body: JSON.stringify(body),
  }));
}

/** Listens to matches; answers with a function that ends it. */
export function listen(ids, hear) {
  const source = new EventSource(`/api/events?match=${ids.join(',')}`);
  source.onmessage = (event) => hear(JSON.parse(event.data));
  source.onerror = () => hear({ type: source.readyState === EventSource.CLOSED ? 'closed' : 'lost' });
  source.onopen = () => hear({ type: 'open' });
  return () => source.close();
}
