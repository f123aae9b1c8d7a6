import type { LadderItem, LadderStage } from '@steward/contract'

export type Stages = Readonly<Record<LadderStage, readonly LadderItem[]>>

/** An experiment with what it tests and what came out. */
export interface TracedExperiment {
  item: LadderItem
  /** The observation that started it. */
  source: LadderItem | undefined
  hypothesis: LadderItem | undefined
  /** Changes that it led to. */
  changes: LadderItem[]
  results: LadderItem[]
}

/** The experiments, the newest first; each item names the one that it was derived from. */
export const traceExperiments = (stages: Stages): TracedExperiment[] => {
  const all = Object.values(stages).flat()
  const byId = new Map(all.map((item) => [item.id, item]))
  const pathOf = (start: LadderItem): LadderItem[] => {
    const path: LadderItem[] = []
    for (
      let next: LadderItem | undefined = start;
      next !== undefined && !path.includes(next);
      next = byId.get(next.from ?? '')
    ) {
      path.push(next)
    }
    return path
  }
  return stages.experiments
    .map((item) => {
      const path = pathOf(item)
      const cameFrom = (each: LadderItem): boolean => pathOf(each).includes(item)
      return {
        item,
        source: path.find((each) => stages.sources.includes(each)),
        hypothesis: path.find((each) => stages.hypotheses.includes(each)),
        changes: stages.algorithms.filter(cameFrom),
        results: stages.results.filter(cameFrom),
      }
    })
    .toSorted((one, other) => other.item.created.localeCompare(one.item.created))
}
