import type { RunDetail } from '@steward/contract'
import { daemon } from '../../live/daemon.ts'
import { attempt, tell } from '../../live/tell.svelte.ts'
import { goTo } from '../../router/router.svelte.ts'
import { hrefOfEntry, hrefOfRun } from './read-view.ts'

/** Repeats a run from a step, by its number from 1 or its path, and shows the new one. */
export const rerunFrom = (
  id: string,
  from: number | string,
  definition: 'current' | 'original',
): Promise<boolean> =>
  attempt(async () => {
    const body = { from, definition }
    const started = await daemon.call('rerunRun', { params: { id }, body })
    goTo(hrefOfRun(started.id))
  }, `Runs again from step ${from}.`)

export const resumeRun = (id: string): Promise<boolean> =>
  attempt(() => daemon.call('resumeRun', { params: { id }, body: {} }), 'The run continues.')

export const cancelRun = (id: string): Promise<boolean> =>
  attempt(async () => {
    const { status } = await daemon.call('cancelRun', { params: { id }, body: {} })
    tell(status === 'cancelled' ? 'The run is cancelled.' : `The run already finished: ${status}.`)
  })

/** Child runs of a flow end with the flow, not separately. */
export const isCancellable = ({ status, parentId }: Pick<RunDetail, 'status' | 'parentId'>) =>
  parentId === null && (status === 'running' || status === 'interrupted')

/** The form, filled with this run's input. */
export const runAgainHref = ({ name, id, primitive }: RunDetail): string =>
  primitive === 'flow' ? hrefOfEntry(name) : `${hrefOfEntry(name)}?as=${encodeURIComponent(id)}`

/** The step to retry: the failed one, or else the one it stopped in. */
export const stepToRetry = ({ steps, primitive }: RunDetail): number | string | undefined => {
  if (primitive === 'flow') return undefined
  const left = steps.filter(
    ({ status, handled }) => status !== 'completed' && status !== 'filtered' && handled !== true,
  )
  // A step around branches failed because of one in them.
  const step = left.find(({ path }) => !left.some((other) => other.path?.startsWith(`${path}.`)))
  return step?.path ?? step?.step
}
