import {
  type EdgeFlow,
  type FlowItemView,
  flowStateEntry,
  type ItemState,
  openItems,
  parseName,
  type RetryItems,
  reasonOf,
  StewardError,
  unwrap,
  workerName,
} from '@steward/contract'
import {
  askEdge,
  findRunningEdge,
  listWorkerItems,
  retryWorkerItems,
  type WorkerAccess,
} from '@steward/platform'
import type { LocalRuntime } from '@steward/runner'
import { z } from 'zod'

export interface EdgeFlows {
  /** Whether the local edge runs, and what its flows have not delivered. */
  list: () => Promise<{ running: boolean; flows: EdgeFlow[] }>
  /** The items of a flow, by its name or id, the latest change first. */
  items: (flow: string, filter: ItemFilter) => Promise<FlowItemView[]>
  /** Makes the flow retry undelivered items; resolves to the id of its run. */
  retry: (flow: string, items: RetryItems) => Promise<string>
}

interface ItemFilter {
  state?: ItemState | undefined
  limit: number
}

interface Ports {
  runtime: () => Pick<LocalRuntime, 'home' | 'environment' | 'catalog'>
  fetch: typeof fetch
}

/** A worker in an endless loop must not delay the page. */
const ANSWER_MS = 10_000
const SUBJECT = 'the local edge'

const status = z.looseObject({
  state: flowStateEntry.pick({ blocked: true }).nullable(),
  /** Absent if the flow has no items of its own. */
  open: openItems.optional(),
})

/** The flows of `steward edge up` on this data home; each worker reports its own. */
export const createEdgeFlows = ({ runtime, fetch }: Ports): EdgeFlows => {
  const ports = () => ({ fetch, signal: AbortSignal.timeout(ANSWER_MS) })

  const findWorkers = (): ((name: string) => WorkerAccess | undefined) | undefined => {
    const { home, environment } = runtime()
    const running = findRunningEdge(home)
    const token = running?.token ?? environment.AUTH_TOKEN
    if (running === undefined || !token) return undefined
    return (name) => {
      const worker = workerName(name)
      const url = running.workers[worker]
      return url === undefined ? undefined : { worker, url, token }
    }
  }
  const allFlows = () =>
    runtime()
      .catalog.flows.all()
      .map(({ flow }) => flow)

  const open = (flow: string): WorkerAccess => {
    const known = allFlows().find(({ id, name }) => id === flow || name === flow)
    const name = known?.name ?? unwrap(parseName(flow, 'flow')).name
    const find = findWorkers()
    if (find === undefined) {
      throw new StewardError('not_configured', { subject: SUBJECT, reason: NOT_RUNNING })
    }
    const worker = find(name)
    if (worker === undefined) {
      throw new StewardError('not_found', { what: `flow on ${SUBJECT}`, name })
    }
    return worker
  }

  const describe = async (name: string, worker: WorkerAccess): Promise<EdgeFlow> => {
    try {
      const request = { path: '/status', shape: status, what: 'the state of a flow' }
      const { state, open: counts = null } = await askEdge(worker, request, ports())
      return { name, blocked: state?.blocked ?? null, open: counts, problem: null }
    } catch (thrown) {
      return { name, blocked: null, open: null, problem: reasonOf(thrown) }
    }
  }

  return {
    list: async () => {
      const find = findWorkers()
      if (find === undefined) return { running: false, flows: [] }
      const known = allFlows().map(({ name }) => ({ name, worker: find(name) }))
      const asked = known.flatMap(({ name, worker }) =>
        worker === undefined ? [] : [describe(name, worker)],
      )
      return { running: true, flows: await Promise.all(asked) }
    },
    items: async (flow, filter) => listWorkerItems(open(flow), filter, ports()),
    retry: async (flow, items) => retryWorkerItems(open(flow), items, ports()),
  }
}

const NOT_RUNNING = 'it does not run here (steward edge up)'
