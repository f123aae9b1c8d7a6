import type { CatalogStep } from '@steward/contract'

/** A step with the steps inside it. */
export interface StepNode extends CatalogStep {
  /** Of parallel steps one list per branch; of a loop over elements a single one. */
  branches: StepNode[][]
  /** Steps that run if it fails. */
  onError: StepNode[]
}

/** Nests a flat list of steps by their paths. */
export const nestSteps = (steps: readonly CatalogStep[], prefix = ''): StepNode[] =>
  steps
    .filter(({ path }) => path.startsWith(prefix) && /^\d+$/.test(path.slice(prefix.length)))
    .map((step) => ({
      ...step,
      branches: branchesOf(steps, step.path),
      onError: nestSteps(steps, `${step.path}.onError.`),
    }))

const branchesOf = (steps: readonly CatalogStep[], path: string): StepNode[][] => {
  const loop = nestSteps(steps, `${path}.each.`)
  if (loop.length > 0) return [loop]
  const branches: StepNode[][] = []
  for (let number = 1; ; number++) {
    const branch = nestSteps(steps, `${path}.parallel[${number}].`)
    if (branch.length === 0) return branches
    branches.push(branch)
  }
}
