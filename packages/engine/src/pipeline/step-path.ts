/**
 * The place of a step in a run, counted from 1: `3`, `5.parallel[2].1` (the first step of the second
 * branch), `6.each[18].1` (of the 18th element), `3.onError.1`.
 */
export type StepPath = string

/** The path as numbers: steps at even positions, branches at odd ones; 0 is `onError`. */
const numbersOf = (path: StepPath): number[] =>
  path
    .replaceAll('.onError.', '.[0].')
    .split(/[^\d]+/)
    .filter((part) => part !== '')
    .map(Number)

const PATH = /^[1-9]\d*(?:\.(?:(?:parallel|each)\[[1-9]\d*\]|onError)\.[1-9]\d*)*$/

export const isStepPath = (text: string): boolean => PATH.test(text)

/** A text that sorts like the definition: a step before its branches, element 2 before 10. */
const sortKeyOf = (path: StepPath): string =>
  numbersOf(path)
    .map((number) => String(number).padStart(6, '0'))
    .join('.')

/** Whether a step has to run again if the run is repeated from another one on. */
export const dependsOn = (path: StepPath, from: StepPath): boolean => {
  const a = numbersOf(path)
  const b = numbersOf(from)
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    // Branches do not depend on each other; later steps of one list depend on earlier ones.
    if (difference !== 0) return at % 2 === 0 && difference > 0
  }
  return true
}

/** The step whose output is the input of this one; undefined for the first of the run. */
export const sourceOf = (path: StepPath): StepPath | undefined => {
  const [, list = '', number = ''] = /^(.*?)(\d+)$/.exec(path) ?? []
  if (Number(number) > 1) return `${list}${Number(number) - 1}`
  return list === '' ? undefined : containerOf(path)
}

/** The step that this one is a part of. */
export const containerOf = (path: StepPath): StepPath | undefined =>
  /^(.*)\.(?:parallel\[\d+\]|each\[\d+\]|onError)\.\d+$/.exec(path)?.[1]

export const sortByPath = <Step extends { path?: StepPath }>(steps: readonly Step[]): Step[] =>
  steps
    .map((step) => ({ step, key: sortKeyOf(step.path ?? '') }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ step }) => step)
