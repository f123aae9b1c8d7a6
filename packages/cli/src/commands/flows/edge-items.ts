import { type FlowItemView, flowItem, parseName, type RetryItems, unwrap } from '@steward/contract'
import { z } from 'zod'
import { askEdge } from '../../edge/ask-edge.ts'
import { type OpenWorker, openWorker } from '../../edge/open-worker.ts'
import type { Io } from '../../io.ts'

/** A flow on the local edge if one runs, otherwise its deployed worker; with `cloud` always that. */
export interface EdgeChoice {
  edge?: true
  cloud?: true
}

/** Whether the worker is asked instead of this machine. */
export const isOnEdge = ({ edge, cloud }: EdgeChoice): boolean => edge === true || cloud === true

/** The items of a flow on the edge, the latest change first. */
export const listEdgeItems = async (
  io: Io,
  flow: string,
  { state, limit, ...choice }: EdgeChoice & { state?: string | undefined; limit: number },
): Promise<FlowItemView[]> => {
  const query = new URLSearchParams({
    limit: String(Math.min(limit, MOST_ITEMS)),
    ...(state === undefined ? {} : { state }),
  })
  const shape = z.object({ items: z.array(flowItem) })
  const request = { path: `/items?${query}`, shape, what: 'a list of items' }
  return (await askEdge(io, await openFlow(io, flow, choice), request)).items
}

/** Makes the worker retry undelivered items; returns the id of its run. */
export const retryEdgeItems = async (
  io: Io,
  flow: string,
  items: RetryItems,
  choice: EdgeChoice,
): Promise<string> => {
  const shape = z.object({ run_id: z.string() })
  const request = { path: '/retry', input: { ...items }, shape, what: 'a started run' }
  return (await askEdge(io, await openFlow(io, flow, choice), request)).run_id
}

const MOST_ITEMS = 1000

const openFlow = (io: Io, flow: string, { cloud }: EdgeChoice): Promise<OpenWorker> =>
  openWorker(io, unwrap(parseName(flow, 'flow')).name, { deployed: cloud === true })
