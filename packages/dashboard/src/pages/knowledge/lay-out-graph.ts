export interface GraphNode {
  id: string
  title: string
  category: string
  backlinkCount: number
}
export interface GraphEdge {
  source: string
  target: string
}
export interface PlacedNode extends GraphNode {
  /** Between 0 and 1. */
  x: number
  y: number
}

const ROUNDS = 160
/** With more nodes a picture is useless; the most linked are shown. */
export const MOST_NODES = 150

/**
 * A force-directed layout: nodes repel each other, links attract, and everything drifts to the
 * middle. Deterministic.
 */
export const layOutGraph = (
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
): { nodes: PlacedNode[]; edges: GraphEdge[] } => {
  const shown = [...nodes]
    .sort((one, other) => other.backlinkCount - one.backlinkCount)
    .slice(0, MOST_NODES)
  const at = new Map(shown.map(({ id }, index) => [id, index]))
  const links = edges.filter(({ source, target }) => at.has(source) && at.has(target))
  // A golden-angle spiral, so that no two nodes start at the same point.
  const spots = shown.map((_, index) => {
    const radius = Math.sqrt((index + 0.5) / Math.max(1, shown.length))
    const angle = index * 2.399963
    return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) }
  })
  const distance = Math.sqrt(1 / Math.max(1, shown.length))
  for (let round = 0; round < ROUNDS; round += 1)
    move(spots, links, at, distance, 1 - round / ROUNDS)
  return { nodes: scale(shown, layDown(spots)), edges: links }
}

interface Spot {
  x: number
  y: number
}

const move = (
  spots: Spot[],
  links: readonly GraphEdge[],
  at: ReadonlyMap<string, number>,
  distance: number,
  heat: number,
): void => {
  const pushes = spots.map((spot) => ({ x: -spot.x * 0.02, y: -spot.y * 0.02 }))
  const push = (from: number, to: number, strength: (length: number) => number): void => {
    const [one, other] = [spots[from], spots[to]]
    const [mine, theirs] = [pushes[from], pushes[to]]
    if (one === undefined || other === undefined || mine === undefined || theirs === undefined)
      return
    const [dx, dy] = [other.x - one.x, other.y - one.y]
    const length = Math.hypot(dx, dy) || 0.001
    const force = strength(length) / length
    mine.x += dx * force
    mine.y += dy * force
    theirs.x -= dx * force
    theirs.y -= dy * force
  }
  for (let from = 0; from < spots.length; from += 1) {
    for (let to = from + 1; to < spots.length; to += 1) {
      push(from, to, (length) => -(distance * distance) / length / 2)
    }
  }
  for (const { source, target } of links) {
    push(at.get(source) ?? -1, at.get(target) ?? -1, (length) => (length * length) / distance / 8)
  }
  for (const [index, spot] of spots.entries()) {
    const { x, y } = pushes[index] ?? { x: 0, y: 0 }
    const step = Math.min(Math.hypot(x, y), 0.12 * heat) / (Math.hypot(x, y) || 1)
    spot.x += x * step
    spot.y += y * step
  }
}

/** Rotated so that the longer axis is x: otherwise a chain would run from corner to corner. */
const layDown = (spots: readonly Spot[]): Spot[] => {
  const sum = (of: (spot: Spot) => number): number => spots.reduce((all, each) => all + of(each), 0)
  const middle = { x: sum(({ x }) => x) / spots.length, y: sum(({ y }) => y) / spots.length }
  const apart = spots.map(({ x, y }) => ({ x: x - middle.x, y: y - middle.y }))
  const product = (of: (spot: Spot) => number): number =>
    apart.reduce((all, each) => all + of(each), 0)
  const angle =
    Math.atan2(
      2 * product(({ x, y }) => x * y),
      product(({ x, y }) => x * x - y * y),
    ) / 2
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return apart.map(({ x, y }) => ({ x: x * cos + y * sin, y: y * cos - x * sin }))
}

const scale = (nodes: readonly GraphNode[], spots: readonly Spot[]): PlacedNode[] => {
  const [xs, ys] = [spots.map(({ x }) => x), spots.map(({ y }) => y)]
  const within = (value: number, all: number[]): number => {
    const [low, high] = [Math.min(...all), Math.max(...all)]
    return high - low < 1e-6 ? 0.5 : (value - low) / (high - low)
  }
  return nodes.map((node, index) => {
    const { x, y } = spots[index] ?? { x: 0, y: 0 }
    return { ...node, x: within(x, xs), y: within(y, ys) }
  })
}
