import { findType, type Routing } from '@steward/agents'
import { type HostEvent, type HostVerdict, type JsonObject, nearestName } from '@steward/contract'
import { textOf } from '../payload/fields.ts'

export interface AgentRules {
  routing: Routing
  /** Custom agents by name; read only if needed. */
  own: () => ReadonlySet<string>
  /** Whether a watchdog watches this session. */
  isWatched: () => boolean
  /** The watchdog's limit, for the reminder. */
  silenceSeconds: number
  /** The command that starts Steward. */
  command: string
}

/** Hints for the launch of an agent, never a refusal. */
export const guardAgent = (event: HostEvent, rules: AgentRules): HostVerdict => {
  if (event.tool_name !== undefined && event.tool_name !== 'Agent') return { kind: 'none' }
  const { tool_input: input } = event
  if (input === undefined) return { kind: 'none' }
  const hints = [
    ...hintAtType(input, rules),
    ...hintAtCompose(input),
    ...hintAtLaunch(event, input, rules),
  ]
  return hints.length === 0 ? { kind: 'none' } : { kind: 'context', context: hints.join('\n') }
}

const hintAtType = (input: JsonObject, { routing, own }: AgentRules): string[] => {
  const name = textOf(input, 'subagent_type')?.trim()
  // Agents of plugins have a name in two parts; only the assistant can check it.
  if (name === undefined || name.includes(':')) return []
  const found = findType(name, routing)
  if (found.state === 'known') return []
  const theirs = own()
  if (theirs.has(name)) return []
  if (found.state === 'deprecated') {
    return [`The agent type ${name} is deprecated: use ${found.replacedBy} instead.`]
  }
  const nearest = nearestName(name, [...theirs]) ?? found.suggestion
  return nearest === undefined
    ? [`No agent type ${name} is known here; check its name.`]
    : [`No agent type ${name} is known here: did you mean ${nearest}?`]
}

const HEAD_CHARS = 300
const CUSTOM = /\bcustom(?:[- ]made)?\b[^.\n]{0,40}\bagents?\b/i

/** Custom agents are composed first and then launched as general-purpose. */
const hintAtCompose = (input: JsonObject): string[] => {
  const type = textOf(input, 'subagent_type')
  if (type === undefined || type === 'general-purpose') return []
  const said = `${textOf(input, 'description') ?? ''}\n${(textOf(input, 'prompt') ?? '').slice(0, HEAD_CHARS)}`
  if (!CUSTOM.test(said)) return []
  return [
    'Custom agents go through compose: take the prompt from `steward compose --traits a,b,c` ' +
      `and launch it as general-purpose, not as ${type}.`,
  ]
}

const hintAtLaunch = (event: HostEvent, input: JsonObject, rules: AgentRules): string[] => {
  const isFast = isFastAgent(input)
  const flag = input.run_in_background
  // Assistants run agents in the background by default.
  const isBackground = flag === true || (flag !== false && !isFast)
  if (isFast && !isBackground) return []
  return [
    ...(isBackground ? remindOfWatchdog(event, rules) : [FOREGROUND]),
    ...(textOf(input, 'model') === undefined && !isFast ? [NO_TIER] : []),
  ]
}

const FOREGROUND =
  'This agent runs in the foreground and everything waits for it; run_in_background: true lets work go on.'
const NO_TIER =
  'No model is named for this agent: choose a tier (fast for simple checks, standard for most work, ' +
  'deep for hard reasoning).'

const remindOfWatchdog = (
  event: HostEvent,
  { isWatched, silenceSeconds, command }: AgentRules,
): string[] => {
  if (isWatched()) return []
  const { session_id: session } = event
  const only = /^[\w.-]+$/.test(session) ? ` --session ${session}` : ''
  return [
    'This agent runs in the background. Start one persistent watchdog for this session, if none runs: ' +
      `\`${command} watchdog${only}\` in the background. It prints a line when an agent has made no ` +
      `tool call for ${silenceSeconds} seconds.`,
  ]
}

const FAST_MODEL = /^fast$|haiku|flash|\b(?:mini|nano|lite)\b/i
const SCOPE = /^#{1,6} *Scope\b/im
const FAST_TIMING = /\bTiming: *FAST\b/i

const isFastAgent = (input: JsonObject): boolean =>
  textOf(input, 'subagent_type') === 'Explore' ||
  FAST_MODEL.test(textOf(input, 'model') ?? '') ||
  isFastScope(textOf(input, 'prompt') ?? '')

const isFastScope = (prompt: string): boolean => {
  const scope = SCOPE.exec(prompt)
  return scope !== null && FAST_TIMING.test(prompt.slice(scope.index))
}
