import type { LlmAnswer, StewardEvent } from '@steward/contract'
import { isDisposable } from '../disposable.ts'
import type { CallEffect, CallReading, Evidence, ObservedEffect, ReadCall } from '../evidence.ts'

export const START = Date.parse('2026-11-10T22:00:00Z')

export const PASS = { verdict: 'pass', rule: '', reason: '', part: '' } as const

export const effect = (
  kind: CallEffect['kind'],
  target: string,
  more: Partial<CallEffect> = {},
): ObservedEffect => {
  const plain = { kind, target, recursive: false, inside: false, ...more }
  return { ...plain, disposable: isDisposable(target, { inside: plain.inside, home: '/home/u' }) }
}

export const evidence = (given: Partial<Evidence> = {}): Evidence => ({
  id: 'r1',
  at: START,
  timestamp: new Date(START).toISOString(),
  tool: 'Bash',
  summary: 'Bash: ls',
  detail: 'ls',
  effects: [],
  guard: PASS,
  ...given,
})

/** A row of a call; its command describes the effect: `delete /a/b`, `read /c`. */
export const row = (
  secondsAfterStart: number,
  command: string,
  more: Partial<StewardEvent> = {},
): StewardEvent => ({
  timestamp: new Date(START + secondsAfterStart * 1000).toISOString(),
  session_id: 's',
  source: 'tool-activity',
  type: 'tool_use',
  tool_name: 'Bash',
  cwd: '/work',
  ground_truth: { command },
  ...more,
})

const KINDS = ['read', 'write', 'delete', 'network', 'send', 'privilege'] as const

/** Parses commands of one verb and its targets. */
export const readCall: ReadCall = ({ input, cwd }): CallReading => {
  const [verb, ...targets] = String(input.command ?? '').split(' ')
  const kind = KINDS.find((each) => each === verb)
  const effects = targets.flatMap((target) =>
    kind === undefined ? [] : [effect(kind, target, { inside: target.startsWith(`${cwd}/`) })],
  )
  return { effects, commands: [], guard: PASS }
}

export const answer = (json: unknown, cost: number | null = 0.0001): LlmAnswer => ({
  text: JSON.stringify(json),
  json,
  usage: { input: 800, output: 40 },
  cost,
  model: 'claude-haiku-5-5',
  provider: 'anthropic',
})

export const voting = (vote: string, ...ids: string[]) =>
  answer({ vote, reason: 'because', evidence: ids, tool_calls: [] })
