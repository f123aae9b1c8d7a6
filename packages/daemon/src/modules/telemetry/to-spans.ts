import { createHash } from 'node:crypto'
import type { CallActivity, SessionActivity } from '@steward/assistants'
import type { ActivityError, RunActivity } from './activity.ts'

/** A span before it is given to the exporter. Ids are derived, so that a repeated export replaces. */
export interface SpanFacts {
  name: string
  isClient: boolean
  traceId: string
  spanId: string
  parentId: string | undefined
  startMs: number
  endMs: number
  attributes: Record<string, string | number>
  error: ActivityError | undefined
}

const idOf = (digits: number, ...parts: Array<string | number>): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, digits)
const traceIdOf = (...parts: Array<string | number>): string => idOf(32, 'trace', ...parts)
const spanIdOf = (...parts: Array<string | number>): string => idOf(16, ...parts)

/** A run, its steps and their model calls. Child runs belong to the trace of the first run. */
export const runSpans = (run: RunActivity): SpanFacts[] => {
  const traceId = traceIdOf('run', run.rootId)
  const spanId = spanIdOf('run', run.id)
  const root: SpanFacts = {
    name: `invoke_workflow ${run.name}`,
    isClient: false,
    traceId,
    spanId,
    parentId: run.parentId === undefined ? undefined : spanIdOf('run', run.parentId),
    startMs: run.startedMs,
    endMs: run.endedMs,
    attributes: {
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': run.name,
      'steward.run.id': run.id,
      'steward.run.kind': run.primitive,
      'steward.run.status': run.status,
    },
    error: run.error,
  }
  const steps = run.steps.flatMap((step): SpanFacts[] => {
    const stepId = spanIdOf('step', run.id, step.index)
    const own: SpanFacts = {
      name: `execute_tool ${step.action}`,
      isClient: false,
      traceId,
      spanId: stepId,
      parentId: spanId,
      startMs: step.startedMs,
      endMs: step.endedMs,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': step.action,
        'gen_ai.tool.type': 'function',
        'steward.step': step.index + 1,
      },
      error: step.error,
    }
    return [
      own,
      ...step.calls.map((call) =>
        callSpan(call, { traceId, parentId: stepId, owner: run.id, attributes: {} }),
      ),
    ]
  })
  return [root, ...steps]
}

/** A session's work since it was last exported, with a span for each subagent. */
export const sessionSpans = (activity: SessionActivity): SpanFacts[] => {
  const { assistant, session, project, calls } = activity
  const startMs = Math.min(...calls.map(({ atMs }) => atMs))
  const endMs = Math.max(...calls.map(({ atMs }) => atMs))
  const traceId = traceIdOf('session', assistant, session, startMs)
  const conversation = { 'gen_ai.conversation.id': session }
  const agentSpan = (
    name: string,
    spanId: string,
    parentId: string | undefined,
    own: readonly CallActivity[],
    attributes: SpanFacts['attributes'],
  ): SpanFacts[] => [
    {
      name: `invoke_agent ${name}`,
      isClient: false,
      traceId,
      spanId,
      parentId,
      startMs: parentId === undefined ? startMs : Math.min(...own.map(({ atMs }) => atMs)),
      endMs: parentId === undefined ? endMs : Math.max(...own.map(({ atMs }) => atMs)),
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': name,
        ...conversation,
        ...attributes,
      },
      error: undefined,
    },
    ...own.map((call) =>
      callSpan(call, { traceId, parentId: spanId, owner: session, attributes: conversation }),
    ),
  ]
  const rootId = spanIdOf('session', assistant, session, startMs)
  const bySubagent = Map.groupBy(calls, ({ subagent }) => subagent ?? '')
  const main = bySubagent.get('') ?? []
  bySubagent.delete('')
  const folder: SpanFacts['attributes'] =
    project === undefined ? {} : { 'steward.project': project }
  return [
    ...agentSpan(assistant, rootId, undefined, main, folder),
    ...[...bySubagent].flatMap(([id, own]) =>
      agentSpan(`${assistant} subagent`, spanIdOf('subagent', session, id, startMs), rootId, own, {
        'gen_ai.agent.id': id,
      }),
    ),
  ]
}

interface CallPlace {
  traceId: string
  parentId: string
  /** The run or session, of which the call's id is unique. */
  owner: string
  attributes: SpanFacts['attributes']
}

const callSpan = (
  call: CallActivity,
  { traceId, parentId, owner, attributes }: CallPlace,
): SpanFacts => ({
  name: `chat ${call.model}`,
  isClient: true,
  traceId,
  spanId: spanIdOf('call', owner, call.id),
  parentId,
  startMs: call.atMs,
  endMs: call.atMs,
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': providerOf(call.model),
    'gen_ai.request.model': call.model,
    'gen_ai.usage.input_tokens': call.input,
    'gen_ai.usage.output_tokens': call.output,
    'gen_ai.usage.cache_read.input_tokens': call.cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': call.cacheWrite,
    ...(call.costUsd === undefined ? {} : { 'steward.cost_usd': call.costUsd }),
    ...attributes,
  },
  error: undefined,
})

const PROVIDERS = [
  [/^claude/, 'anthropic'],
  [/^(gpt|o\d|codex)/, 'openai'],
  [/^gemini/, 'gcp.gemini'],
  [/^(mistral|magistral|codestral)/, 'mistral_ai'],
  [/^deepseek/, 'deepseek'],
  [/^grok/, 'x_ai'],
] as const

/** The names of the convention; another vendor is told by its model only. */
const providerOf = (model: string): string =>
  PROVIDERS.find(([pattern]) => pattern.test(model))?.[1] ?? '_OTHER'
