import { drivenSession } from '@steward/contract'
import { type Machine, until } from '../machine.ts'
import { getDriven } from './record.ts'
import type { Stage } from './stage.ts'

export const start = async ({ machine, subject }: Stage, prompt: string) => {
  const { code, stdout, stderr } = await machine.steward(
    ...['sessions', 'start', '--assistant', subject.assistant, '--worktree', '--json', prompt],
  )
  if (code !== 0) throw new Error(`sessions start: ${stderr}`)
  return drivenSession.parse(JSON.parse(stdout))
}

export const send = async (machine: Machine, id: string, prompt: string): Promise<void> => {
  const { code, stderr } = await machine.steward('sessions', 'send', id, '--json', prompt)
  if (code !== 0) throw new Error(`sessions send: ${stderr}`)
}

export const idle = async (machine: Machine, id: string): Promise<void> => {
  const { state, reason } = await until('the turn ends', async () => {
    const session = await getDriven(machine, id)
    return session.state !== 'working' && session.state !== 'starting' && session
  })
  if (state !== 'idle') throw new Error(`the session is ${state}: ${reason}`)
}

/** The only request that waits. */
export const asked = async (machine: Machine, id: string): Promise<string> => {
  const waiting = await until('it asks for a permission', async () => {
    const { state, reason } = await getDriven(machine, id).catch(() => ({ state: '', reason: '' }))
    if (state === 'failed' || state === 'interrupted' || state === 'idle')
      throw new Error(`no permission is asked for, the session is ${state}: ${reason}`)
    const entries = (await machine.waiting()).filter(
      ({ session_id, kind }) => session_id === id && kind === 'permission',
    )
    return entries.length > 0 && entries
  })
  if (waiting.length > 1) throw new Error(`${waiting.length} requests wait instead of one`)
  return waiting[0]?.id ?? ''
}

export const decide = async (
  machine: Machine,
  id: string,
  answer: { decision: 'allow' | 'deny' },
): Promise<void> => {
  const request = await asked(machine, id)
  const { status, body } = await machine.api(`/api/attention/${request}/answer`, answer)
  if (status !== 200) throw new Error(`answer: ${body}`)
}
export const allow = (machine: Machine, id: string) => decide(machine, id, { decision: 'allow' })
