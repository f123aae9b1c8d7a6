import type { JsonObject, SessionMode, TurnMode, WorkState } from '@steward/contract'
import { classifyPrompt } from './classify-prompt.ts'
import { laneOf, modeOf } from './lanes.ts'
import { formatMoment } from './moments.ts'
import { recordMode } from './record-mode.ts'
import { isComplete, isFull, newestOf, ofSession, type Session, withEntry } from './sessions.ts'
import { freeSlug, slugFor } from './slugs.ts'
import { withoutSystemText } from './system-text.ts'
import type { Transition } from './transition.ts'

export interface Prompt {
  sessionUUID: string
  text: string
  sessionName?: string
  /** Time zone of the slug; defaults to the machine's. */
  timeZone?: string
}

export type PromptOutcome =
  | { did: 'created' | 'updated'; slug: string; mode: SessionMode }
  /** Too little for a new session; an existing one counts it as activity. */
  | { did: 'counted'; slug: string }
  | { did: 'ignored' }

const TASK_CHARS = 300

/** A person's prompt: starts a session, or counts as activity of the current one. */
export const recordPrompt = (
  state: WorkState,
  prompt: Prompt,
  nowMs: number,
): Transition<PromptOutcome> => {
  const kind = classifyPrompt(prompt.text)
  const current = currentOf(state, prompt.sessionUUID)
  if ('mode' in kind) {
    if (current === undefined) return createSession(state, prompt, kind.mode, nowMs)
    return continueSession(state, current, prompt, kind.mode, nowMs)
  }
  // Text of the host is not activity of the person.
  if (current === undefined || kind.trivia === 'system')
    return { state, outcome: { did: 'ignored' } }
  return countTurn(state, current, nowMs)
}

/** The incomplete full session, or else the light one. */
const currentOf = (state: WorkState, sessionUUID: string): Session | undefined => {
  const open = ofSession(state, sessionUUID).filter((session) => !isComplete(session))
  return newestOf(open.filter(isFull)) ?? newestOf(open)
}

const createSession = (
  state: WorkState,
  { sessionUUID, text, sessionName, timeZone }: Prompt,
  mode: SessionMode,
  nowMs: number,
): Transition<PromptOutcome> => {
  const task = taskOf(text)
  const slug = freeSlug(state, slugFor(task, nowMs, timeZone))
  const at = formatMoment(nowMs)
  const entry: JsonObject = {
    task,
    sessionName,
    sessionUUID,
    mode,
    phase: mode,
    progress: '0/0',
    effort: mode === 'native' ? 'native' : 'standard',
    started: at,
    updatedAt: at,
    ...recordMode({}, laneOf(mode), nowMs),
    minimalCount: 0,
    ratings: [],
  }
  return { state: withEntry(state, slug, entry), outcome: { did: 'created', slug, mode } }
}

const continueSession = (
  state: WorkState,
  session: Session,
  { sessionName }: Prompt,
  mode: SessionMode,
  nowMs: number,
): Transition<PromptOutcome> => {
  const { slug, raw, view } = session
  const updatedAt = formatMoment(nowMs)
  if (isFull(session)) {
    const outcome = { did: 'updated', slug, mode: modeOf(view) } as const
    return { state: withEntry(state, slug, { ...raw, updatedAt }), outcome }
  }
  // A session that started work keeps its lane, because a question does not end the work.
  const stays = modeOf(view) === 'starting' || mode === 'native'
  const next = {
    ...raw,
    ...(sessionName === undefined ? {} : { sessionName }),
    ...(stays
      ? {}
      : { mode, phase: view.phase === 'native' ? mode : view.phase, effort: 'standard' }),
    ...recordMode(raw, laneOf(mode), nowMs),
    updatedAt,
  }
  const outcome = { did: 'updated', slug, mode: stays ? modeOf(view) : mode } as const
  return { state: withEntry(state, slug, next), outcome }
}

const countTurn = (
  state: WorkState,
  session: Session,
  nowMs: number,
): Transition<PromptOutcome> => {
  const { slug, raw, view } = session
  const minimal: TurnMode = 'minimal'
  const next = {
    ...raw,
    ...(isFull(session) ? {} : recordMode(raw, minimal, nowMs)),
    minimalCount: view.minimalCount + 1,
    updatedAt: formatMoment(nowMs),
  }
  return { state: withEntry(state, slug, next), outcome: { did: 'counted', slug } }
}

const taskOf = (text: string): string => {
  const task = withoutSystemText(text).replaceAll(/\s+/g, ' ').trim()
  const chars = [...task.slice(0, TASK_CHARS * 2)]
  return chars.length > TASK_CHARS ? `${chars.slice(0, TASK_CHARS - 1).join('')}…` : task
}
