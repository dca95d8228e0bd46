//! Strongly connected components, without recursion.

/// Numbers the components of a graph; a component's number is greater than those of all it leads to. Also tells
/// which components are cyclic (more than one member, or an edge to itself).
pub(crate) struct Components {
    /// The component of each node.
    pub of: Vec<u32>,
    /// Whether the component contains a cycle.
    pub cyclic: Vec<bool>,
}

/// The components of the graph whose node `i` leads to `edges[i]` (Tarjan's algorithm with an explicit stack).
pub(crate) fn components(edges: &[Vec<u32>]) -> Components {
    const NEW: u32 = u32::MAX;
    let n = edges.len();
    let (mut order, mut low) = (vec![NEW; n], vec![0; n]);
    let mut result = Components { of: vec![NEW; n], cyclic: Vec::new() };
    let (mut stack, mut calls, mut count) = (Vec::new(), Vec::new(), 0u32);
    for root in 0..n as u32 {
        if order[root as usize] != NEW {
            continue;
        }
        calls.push((root, 0usize));
        while let Some(&mut (node, ref mut edge)) = calls.last_mut() {
            let at = node as usize;
            if *edge == 0 {
                order[at] = count;
                low[at] = count;
                count += 1;
                stack.push(node);
            }
            if let Some(&to) = edges[at].get(*edge) {
                *edge += 1;
                if order[to as usize] == NEW {
                    calls.push((to, 0));
                } else if result.of[to as usize] == NEW {
                    low[at] = low[at].min(order[to as usize]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent as usize] = low[parent as usize].min(low[at]);
            }
            if low[at] == order[at] {
                let number = result.cyclic.len() as u32;
                let start = stack.iter().rposition(|&x| x == node).unwrap_or(0);
                let members = stack.split_off(start);
                result.cyclic.push(members.len() > 1 || edges[at].contains(&node));
                for member in members {
                    result.of[member as usize] = number;
                }
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_cycles_and_their_order() {
        // 0 → 1 ⇄ 2 → 3, 4 → 4, 5 alone
        let graph = components(&[vec![1], vec![2], vec![1, 3], vec![], vec![4], vec![]]);
        assert_eq!(graph.of[1], graph.of[2]);
        assert!(graph.of[0] > graph.of[1] && graph.of[1] > graph.of[3]);
        let cyclic: Vec<bool> = graph.of.iter().map(|&c| graph.cyclic[c as usize]).collect();
        assert_eq!(cyclic, [false, true, true, false, true, false]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let n = 300_000;
        let edges: Vec<Vec<u32>> = (0..n).map(|i| if i + 1 < n { vec![i + 1] } else { vec![0] }).collect();
        assert_eq!(components(&edges).cyclic.len(), 1);
    }
}
