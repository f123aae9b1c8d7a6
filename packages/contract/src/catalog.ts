import { z } from 'zod'
import { loopGate } from './flow.ts'
import { RUNS_ON } from './flow-schedule.ts'

/** One input or output field, as forms and lists show it. */
export const catalogField = z.object({
  name: z.string(),
  type: z.string(),
  required: z.boolean(),
  description: z.string().nullable(),
  default: z.unknown().optional(),
  /** The only values allowed. */
  enum: z.array(z.unknown()).optional(),
})
export type CatalogField = z.infer<typeof catalogField>

/** A flow's source or destination: its type and a short location. Never a header or secret. */
export const catalogEnd = z.object({ type: z.string(), where: z.string() })
export type CatalogEnd = z.infer<typeof catalogEnd>

/** One step of a pipeline, as a diagram draws it. */
export const catalogStep = z.object({
  /**
   * Its place: `2`, `2.parallel[1].3`, `4.each.1`, `2.onError.1`. Steps follow those that contain
   * them.
   */
  path: z.string(),
  kind: z.enum(['action', 'when', 'parallel', 'each']),
  /** The name of the action, the condition or the field with the list. */
  title: z.string(),
  /** What differs from a plain step, such as its retries. */
  note: z.string().optional(),
})
export type CatalogStep = z.infer<typeof catalogStep>

/** An action, pipeline or flow, without its path on this machine. */
export const catalogEntry = z.object({
  name: z.string(),
  description: z.string().nullable(),
  origin: z.enum(['user', 'built-in']),
  /** It overrides a built-in one with the same name. */
  overrides: z.boolean(),
  version: z.string().optional(),
  requires: z.array(z.string()).optional(),
  /** Of a pipeline, in execution order. */
  actions: z.array(z.string()).optional(),
  /** Of a pipeline, with its branches. */
  steps: z.array(catalogStep).optional(),
  input: z.array(catalogField).optional(),
  output: z.array(catalogField).optional(),
  /** The following fields are only set for flows. */
  id: z.string().optional(),
  pipeline: z.string().optional(),
  /** The condition on items. */
  filter: z.string().optional(),
  enabled: z.boolean().optional(),
  intervalMinutes: z.int().positive().optional(),
  /** The schedule in words. */
  schedule: z.string().optional(),
  /** Absent: manual here, scheduled on the edge. */
  runsOn: z.enum(RUNS_ON).optional(),
  /** The first of `sources`. */
  source: catalogEnd.optional(),
  sources: z.array(catalogEnd).optional(),
  /** The first of `destinations`. */
  destination: catalogEnd.optional(),
  destinations: z.array(catalogEnd).optional(),
  /** How items are collected, in words. */
  digest: z.string().optional(),
  loop: loopGate.optional(),
  /** Why it cannot run; broken entries are shown, not hidden. */
  error: z.string().optional(),
})
export type CatalogEntry = z.infer<typeof catalogEntry>

/** Everything that can be run. */
export const catalogView = z.object({
  actions: z.array(catalogEntry),
  pipelines: z.array(catalogEntry),
  flows: z.array(catalogEntry),
  /** Files that could not be read. */
  errors: z.array(z.string()),
})
export type CatalogView = z.infer<typeof catalogView>
