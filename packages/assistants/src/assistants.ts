import {
  HOSTS,
  type HostAnswer,
  type HostEvent,
  type HostName,
  type HostVerdict,
  isJsonObject,
} from '@steward/contract'
import type { Assistant, HostPlace } from './assistant.ts'
import { claude } from './claude/claude.ts'
import { codex } from './codex/codex.ts'
import { cursor } from './cursor/cursor.ts'
import { gemini } from './gemini/gemini.ts'
import { opencode } from './opencode/opencode.ts'

/**
 * The assistants that Steward knows, in the order in which a payload is recognised: Claude Code is last,
 * because the others took over its form.
 */
export const ASSISTANTS: Readonly<Record<HostName, Assistant>> = {
  cursor,
  opencode,
  gemini,
  codex,
  claude,
}

export const isHostName = (name: string): name is HostName => HOSTS.some((host) => host === name)

/** Parses a payload into the common form. Never throws: unknown parts stay in `raw`. */
export const readHostEvent = (host: HostName, payload: unknown, event?: string): HostEvent =>
  ASSISTANTS[host].read(payload, event)

/** A verdict in the form of the assistant that sent the event. */
export const answerHost = (event: HostEvent, verdict: HostVerdict): HostAnswer =>
  ASSISTANTS[event.host].answer(event, verdict)

/** The assistant that sent a payload, for callers that do not name it. */
export const detectHost = (payload: unknown): HostName => {
  if (!isJsonObject(payload)) return 'claude'
  return Object.values(ASSISTANTS).find(({ recognises }) => recognises(payload))?.name ?? 'claude'
}

/** The file that an assistant reads its hooks from. */
export const hostFile = (host: HostName, place: HostPlace): string => ASSISTANTS[host].file(place)
