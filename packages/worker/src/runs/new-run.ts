import type { Primitive, RunRecord } from '@steward/contract'
import { NO_SPEND } from '@steward/engine'

/** A record of a run that has just started. */
export const newRun = (
  primitive: Primitive,
  name: string,
  id: string,
  startedMs: number,
): RunRecord => ({
  id,
  primitive,
  name,
  status: 'running',
  definition: { version: 'edge', hash: '' },
  parentId: null,
  rerunOf: null,
  idempotencyKey: null,
  startedAt: new Date(startedMs).toISOString(),
  endedAt: null,
  durationMs: null,
  stepCount: 0,
  spend: NO_SPEND,
  error: null,
})
