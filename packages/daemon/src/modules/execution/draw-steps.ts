import type { CatalogStep, PipelineStep } from '@steward/contract'

/** The steps of a pipeline as a flat list, each after the one that contains it. */
export const drawSteps = (steps: readonly PipelineStep[], prefix = ''): CatalogStep[] =>
  steps.flatMap((step, index): CatalogStep[] => {
    const path = `${prefix}${index + 1}`
    if (typeof step === 'string') return [{ path, kind: 'action', title: step }]
    if ('when' in step) return [{ path, kind: 'when', title: step.when }]
    if ('parallel' in step) {
      const branches = step.parallel.flatMap((branch, number) =>
        drawSteps(branch, `${path}.parallel[${number + 1}].`),
      )
      const title = `${step.parallel.length} branches`
      return [{ path, kind: 'parallel', title }, ...branches]
    }
    if ('each' in step) {
      const note = step.max === undefined ? {} : { note: `at most ${step.max}` }
      return [
        { path, kind: 'each', title: step.each, ...note },
        ...drawSteps(step.do, `${path}.each.`),
      ]
    }
    const { action, retry, onError = [] } = step
    const handlers = typeof onError === 'string' ? [onError] : onError
    return [
      {
        path,
        kind: 'action',
        title: action,
        ...(retry === undefined ? {} : { note: `up to ${retry.attempts} attempts` }),
      },
      ...drawSteps(handlers, `${path}.onError.`),
    ]
  })
