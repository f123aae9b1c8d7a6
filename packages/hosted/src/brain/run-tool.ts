import { toStewardError } from '@steward/contract'
import type { NewEvent } from '../database/stored-event.ts'
import type { HandsSession, ToolOutcome } from '../hands/hands.ts'
import type { BrainPorts } from './brain.ts'
import type { RunInFlight } from './in-flight.ts'
import { MARKS } from './internal-events.ts'
import type { SessionMcp } from './mcp/session-mcp.ts'
import type { RunStep } from './step.ts'
import { RUNNING, toolResultEvent } from './step-events.ts'
import { configOf } from './tools/find-tool.ts'
import type { WorkedSession } from './worked-session.ts'

export interface RunPorts extends Pick<BrainPorts, 'hands' | 'report'> {
  inFlight: RunInFlight
  openHands: () => Promise<HandsSession>
  mcp: Pick<SessionMcp, 'call'>
}

export const runTool = async (
  { use, mark, starts, processed }: RunStep,
  session: WorkedSession,
  { hands, inFlight, openHands, mcp, report }: RunPorts,
): Promise<void> => {
  const before: NewEvent[] = starts ? [RUNNING] : []
  if (mark && !use.started)
    before.push({ type: MARKS.toolStarted, body: { tool_use_id: use.id }, listed: false })
  if (before.length > 0 || processed.length > 0) await session.append(before, processed)

  const { id, name, input } = use
  const config = configOf(session.row().body.agent, name)
  const outcome = await inFlight(async (signal): Promise<ToolOutcome> => {
    try {
      if (use.kind === 'mcp') return await mcp.call(use, signal)
      return await hands.execute(await openHands(), { id, name, input, config }, signal)
    } catch (thrown) {
      signal.throwIfAborted()
      // A sandbox failure becomes the tool's error, so that the model can try another way.
      const error = toStewardError(thrown)
      report(error, session.id)
      return { content: [{ type: 'text', text: error.message }], isError: true }
    }
  })
  // The next decision settles the call together with the turn.
  if (outcome.type === 'interrupted') return session.look()
  await session.append([toolResultEvent(use, outcome.value, name)])
}
