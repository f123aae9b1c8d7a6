interface Graph<Node extends { id: string }, Edge extends { source: string; target: string }> {
  nodes: Node[]
  edges: Edge[]
}

/** The part of a graph within some steps of a node, whichever way the edges point. */
export const neighbourhoodOf = <
  Node extends { id: string },
  Edge extends { source: string; target: string },
>(
  graph: Graph<Node, Edge>,
  center: string,
  depth: number,
): Graph<Node, Edge> => {
  const ends = graph.edges.flatMap(({ source, target }) => [
    { from: source, to: target },
    { from: target, to: source },
  ])
  const neighbours = Map.groupBy(ends, ({ from }) => from)
  const near = new Set([center])
  let rim = [center]
  for (let step = 0; step < depth; step++) {
    rim = rim
      .flatMap((id) => neighbours.get(id) ?? [])
      .flatMap(({ to }) => (near.has(to) ? [] : [to]))
    for (const id of rim) near.add(id)
  }
  return {
    nodes: graph.nodes.filter(({ id }) => near.has(id)),
    edges: graph.edges.filter(({ source, target }) => near.has(source) && near.has(target)),
  }
}
