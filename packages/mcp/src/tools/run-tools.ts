import { RUN_STATUSES, type RunDetail, runDetail, runRecord, type StepLog } from '@steward/contract'
import { z } from 'zod'
import type { RunsPort } from '../ports.ts'
import { shortenValues } from './shorten-values.ts'
import { defineTool, limitOf, type Tool } from './tool.ts'

const SHOWN_CHILDREN = 50
const SHOWN_LOGS = 50

/** Runs and their results. */
export const createRunTools = (runs: RunsPort): Tool[] => [
  defineTool({
    name: 'runs_list',
    title: 'List runs',
    description:
      'Past and present runs of actions, pipelines and flows, newest first: status, duration, cost, error.',
    input: z.object({
      name: z.string().max(200).optional().describe('only runs of this action, pipeline or flow'),
      status: z.enum(RUN_STATUSES).optional(),
      all: z
        .boolean()
        .default(false)
        .describe('include the runs that a flow started, one per item'),
      before: z.string().max(100).optional().describe('only runs older than this id'),
      limit: limitOf(20, 200),
    }),
    output: z.object({ runs: z.array(runRecord) }),
    run: async (query) => ({ runs: await runs.list(query) }),
  }),
  defineTool({
    name: 'run_read',
    title: 'Read a run',
    description:
      'One run with its steps: input, output, duration, cost, error and last log entries of each. Long texts are cut at maxChars.',
    input: z.object({
      id: z.string().min(1).max(100).describe('last, a run id, or the end of one'),
      maxChars: z
        .int()
        .min(100)
        .max(1_000_000)
        .default(2000)
        .describe('maximum length of each text'),
    }),
    output: z.object({
      run: runDetail,
      /** The total number; the run shows the first ones. */
      childrenTotal: z.int(),
    }),
    run: async ({ id, maxChars }, { redactor }) => {
      const found = await runs.read(id)
      const clean = (value: RunDetail['input']) =>
        value === undefined
          ? undefined
          : runDetail.shape.input.parse(shortenValues(redactor.redact(value).value, maxChars))
      const { input, output, steps, children, ...record } = found
      const run = {
        ...record,
        ...withoutMissing({ input: clean(input), output: clean(output) }),
        steps: steps.map(({ input: given, output: made, logs, ...step }) => ({
          ...step,
          ...(logs === undefined ? {} : { logs: lastLogs(logs, maxChars) }),
          ...withoutMissing({ input: clean(given), output: clean(made) }),
        })),
        children: children.slice(0, SHOWN_CHILDREN),
      }
      return { run, childrenTotal: children.length }
    },
  }),
]

/** The entries before the end say most about it; secrets were masked before they were stored. */
const lastLogs = (logs: readonly StepLog[], maxChars: number): StepLog[] =>
  logs.slice(-SHOWN_LOGS).map((log) => ({
    ...log,
    text: log.text.length > maxChars ? `${log.text.slice(0, maxChars)}…` : log.text,
  }))

const withoutMissing = ({ input, output }: Pick<RunDetail, 'input' | 'output'>) => ({
  ...(input === undefined ? {} : { input }),
  ...(output === undefined ? {} : { output }),
})
