import { setTimeout as sleep } from 'node:timers/promises'
import { answerPrompt, describePrompt, type PromptCall } from '@steward/assistants'
import type { ApprovalsPort } from '@steward/mcp'
import { findDaemonClient } from '../../daemon/daemon-client.ts'
import type { Io } from '../../io.ts'

/** Newer versions of Claude Code start a hook for the same request at the same time. */
const HOOK_MS = 3000
const LOOK_MS = 300
/** The hook's answer is on its way when its request is closed. */
const GRACE_MS = 15_000

/** Answers the permission prompts of `claude -p`, unless its hook does. */
export const createApprovals = (io: Io): ApprovalsPort => ({
  ask: async (toolName, input) => {
    const call = { toolName, input, cwd: io.cwd, session: `claude-${process.ppid}` }
    if (!(await isAskedByHook(io, call, HOOK_MS))) return answerPrompt(call, io.env)
    while (await isAskedByHook(io, call, LOOK_MS)) await sleep(LOOK_MS)
    await sleep(GRACE_MS)
    return { behavior: 'deny', message: 'Nobody answered in time, so it is not allowed.' }
  },
})

const isAskedByHook = async (io: Io, call: PromptCall, withinMs: number): Promise<boolean> => {
  const preview = describePrompt(call)
  const endMs = io.now() + withinMs
  do {
    const client = await findDaemonClient(io)
    const waiting = client === undefined ? [] : (await client.call('listWaiting')).waiting
    const isSame = waiting.some(
      (entry) =>
        entry.answerable &&
        entry.tool === call.toolName &&
        entry.project === call.cwd &&
        entry.preview === preview &&
        entry.session_id !== call.session,
    )
    if (isSame) return true
    await sleep(LOOK_MS)
  } while (io.now() < endMs)
  return false
}
