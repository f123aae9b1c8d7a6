import type { HostEvent } from '@steward/contract'
import {
  appendRating,
  appendSignal,
  captureRating,
  captureSignals,
  findTrivia,
  proposeSessionName,
  readSessionName,
  recordPromptInFile,
  recordRating,
  updateWorkState,
  writeSessionName,
} from '@steward/platform'
import { textOf } from '../payload/fields.ts'
import type { HookPorts } from './hook-ports.ts'

/** Prompt-submit analysis: the session's entry and name, ratings and signals. */
export const recordPersonPrompt = async (
  event: HostEvent,
  timestamp: string,
  ports: HookPorts,
): Promise<void> => {
  const text = event.prompt ?? ''
  const { session_id: sessionUUID } = event
  if (event.agent_id !== undefined || sessionUUID === '') return
  const name = await nameOf(event, text, ports)
  const noted = await recordPromptInFile(
    ports.home,
    { sessionUUID, text, ...(name === undefined ? {} : { sessionName: name }) },
    ports,
  )
  if (!noted.ok) ports.report(noted.error.message)
  await recordPromptRating(text, sessionUUID, timestamp, ports)
}

const nameOf = async (
  event: HostEvent,
  text: string,
  { home, redactor, report }: HookPorts,
): Promise<string | undefined> => {
  if (findTrivia(text) !== undefined) return undefined
  const { session_id } = event
  const known = await readSessionName(home, session_id)
  if (!known.ok) report(known.error.message)
  else if (known.value !== undefined) return known.value
  const clean = redactor.redactText(
    textOf(event, 'session_title') ?? proposeSessionName(text) ?? '',
  )
  if (clean.value === '') return undefined
  const written = await writeSessionName(home, session_id, clean.value)
  if (!written.ok) report(written.error.message)
  return clean.value
}

/** A running daemon writes ratings and signals itself, from the prompt's row. */
const recordPromptRating = async (
  text: string,
  session_id: string,
  timestamp: string,
  ports: HookPorts,
): Promise<void> => {
  const context = { session_id, timestamp }
  const rating = captureRating(text, context)
  if (!ports.isDaemonUp()) {
    if (rating !== undefined) appendRating(ports.home, rating, ports.redactor)
    for (const signal of captureSignals(text, context)) {
      appendSignal(ports.home, signal, ports.redactor)
    }
  }
  if (rating === undefined) return
  const { rating: value, comment } = rating
  const kept = await updateWorkState(
    ports.home,
    (state, nowMs) =>
      recordRating(
        state,
        { sessionUUID: session_id, value, ...(comment === undefined ? {} : { message: comment }) },
        nowMs,
      ),
    ports,
  )
  if (!kept.ok) ports.report(kept.error.message)
}
