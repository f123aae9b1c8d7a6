import { type FlowItemView, flowItem, type ItemState, type RetryItems } from '@steward/contract'
import { z } from 'zod'
import { askEdge } from './ask-edge.ts'
import type { AskPorts, WorkerAccess } from './ask-worker.ts'

/** Most that a flow worker lists at once. */
const MOST_ITEMS = 1000

/** The items of a flow worker, the latest change first. */
export const listWorkerItems = async (
  worker: WorkerAccess,
  { state, limit }: { state?: ItemState | undefined; limit: number },
  ports: AskPorts,
): Promise<FlowItemView[]> => {
  const query = new URLSearchParams({
    limit: String(Math.min(limit, MOST_ITEMS)),
    ...(state === undefined ? {} : { state }),
  })
  const shape = z.object({ items: z.array(flowItem) })
  const request = { path: `/items?${query}`, shape, what: 'a list of items' }
  return (await askEdge(worker, request, ports)).items
}

/** Makes a flow worker retry undelivered items; returns the id of its run. */
export const retryWorkerItems = async (
  worker: WorkerAccess,
  items: RetryItems,
  ports: AskPorts,
): Promise<string> => {
  const shape = z.object({ run_id: z.string() })
  const request = { path: '/retry', input: { ...items }, shape, what: 'a started run' }
  return (await askEdge(worker, request, ports)).run_id
}
