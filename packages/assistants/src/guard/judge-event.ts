import { resolve } from 'node:path'
import type { HostEvent, JsonObject, Judgement } from '@steward/contract'
import { findTrivia } from '@steward/platform'
import { gravest, inspectPrompt, judgeTool, type Policy } from '@steward/policy'

export interface JudgePlace {
  environment?: Readonly<Record<string, string | undefined>>
  /** Resolves symbolic links; returns the path itself if unknown. */
  realPath?: (path: string) => string
}

/** Judges what an assistant is about to do; undefined for other events. */
export const judgeEvent = (
  event: HostEvent,
  policy: Policy,
  place: JudgePlace = {},
): Judgement | undefined => {
  if (event.hook_event_name === 'PreToolUse') return judgeCall(event, policy, place)
  return event.hook_event_name === 'UserPromptSubmit' ? judgePrompt(event) : undefined
}

const judgeCall = (event: HostEvent, policy: Policy, place: JudgePlace): Judgement | undefined => {
  const { tool_name: tool, cwd = policy.home } = event
  if (tool === undefined) return undefined
  const { environment, realPath } = place
  const where = { cwd, ...(environment === undefined ? {} : { environment }) }
  const given: unknown = event.tool_input ?? event.raw.tool_input
  const judge = (input: unknown) => judgeTool({ tool, input }, policy, where)
  const really =
    event.tool_input === undefined ? {} : leadElsewhere(event.tool_input, cwd, realPath)
  if (Object.keys(really).length === 0) return judge(given)
  // A link is judged by its own name and by its target.
  return gravest([judge(given), judge({ ...event.tool_input, ...really })])
}

const PATH_FIELDS = ['file_path', 'notebook_path', 'path', 'dir_path']

const leadElsewhere = (
  input: JsonObject,
  cwd: string,
  realPath: JudgePlace['realPath'] = (path) => path,
): JsonObject =>
  Object.fromEntries(
    PATH_FIELDS.flatMap((field) => {
      const path = input[field]
      if (typeof path !== 'string' || path === '' || path.startsWith('~')) return []
      const whole = resolve(cwd, path)
      const real = realPath(whole)
      return real === whole ? [] : [[field, real]]
    }),
  )

/** Text of the assistant itself only raises an alert: refusing it would stop work in progress. */
const judgePrompt = ({ prompt = '' }: HostEvent): Judgement => {
  const { findings: _findings, ...judgement } = inspectPrompt(prompt)
  if (judgement.verdict !== 'deny' || findTrivia(prompt) !== 'system') return judgement
  return { ...judgement, verdict: 'alert' }
}
