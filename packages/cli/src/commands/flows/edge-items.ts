import {
  type FlowItemView,
  type ItemState,
  parseName,
  type RetryItems,
  unwrap,
} from '@steward/contract'
import { listWorkerItems, retryWorkerItems } from '@steward/platform'
import { type OpenWorker, openWorker } from '../../edge/open-worker.ts'
import type { Io } from '../../io.ts'

/** A flow on the local edge if one runs, otherwise its deployed worker; with `cloud` always the latter. */
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
  { state, limit, ...choice }: EdgeChoice & { state?: ItemState | undefined; limit: number },
): Promise<FlowItemView[]> =>
  listWorkerItems(await openFlow(io, flow, choice), { state, limit }, portsOf(io))

/** Makes the worker retry undelivered items; returns the id of its run. */
export const retryEdgeItems = async (
  io: Io,
  flow: string,
  items: RetryItems,
  choice: EdgeChoice,
): Promise<string> => retryWorkerItems(await openFlow(io, flow, choice), items, portsOf(io))

const portsOf = ({ signal }: Io) => ({ fetch, signal })

const openFlow = (io: Io, flow: string, { cloud }: EdgeChoice): Promise<OpenWorker> =>
  openWorker(io, unwrap(parseName(flow, 'flow')).name, { deployed: cloud === true })
