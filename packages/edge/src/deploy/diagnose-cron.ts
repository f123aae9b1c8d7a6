import type { WorkerKind } from '@steward/contract'

export interface CronFacts {
  primitive: WorkerKind
  handlers: readonly string[]
  /** The triggers that the platform has. */
  crons: readonly string[]
  /** Those of the worker's configuration, where it is at hand. */
  expected?: readonly string[] | undefined
}

/** Spec 1, Errors, cron not firing: the syntax, the scheduled handler, the trigger settings. */
export const diagnoseCron = ({ primitive, handlers, crons, expected }: CronFacts): string[] => {
  if (primitive !== 'flow') return []
  const scheduled = handlers.length === 0 || handlers.includes('scheduled')
  return [
    ...(crons.length > 0 && !scheduled
      ? ['cron not firing: the scheduled handler is not exported; build and deploy the flow again']
      : []),
    ...(expected !== undefined && !sameSet(expected, crons)
      ? [
          `cron not firing as configured: the trigger settings are ${show(crons)}, the configuration says ${show(expected)}; deploy the flow again`,
        ]
      : []),
  ]
}

const sameSet = (a: readonly string[], b: readonly string[]): boolean =>
  a.toSorted().join('\n') === b.toSorted().join('\n')

const show = (crons: readonly string[]): string =>
  crons.length === 0 ? 'none' : crons.map((cron) => `"${cron}"`).join(', ')
