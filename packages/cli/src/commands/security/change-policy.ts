import { type PolicyEdit, unwrap } from '@steward/contract'
import { changeSecurityText, type SecurityChanged } from '@steward/platform'
import { editPolicy } from '@steward/policy'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { openSecurity } from './open-security.ts'

/** Makes one change of the policy file and says how to undo it. */
export const changePolicy = async (
  io: Io,
  edit: PolicyEdit,
  target: string,
  json: boolean,
): Promise<void> => {
  const { home, ports } = await openSecurity(io)
  const today = new Date(io.now()).toISOString().slice(0, 10)
  const changed = await changeSecurityText(
    home,
    {
      file: 'policy',
      action: edit.action,
      target,
      change: (text) => {
        const edited = unwrap(editPolicy(text, edit, today))
        return edited
      },
    },
    ports,
  )
  printChange(io, edit.action, target, changed, json)
}

export const printChange = (
  io: Io,
  action: string,
  target: string,
  { revision, undo, logFault }: SecurityChanged,
  json: boolean,
): void => {
  if (logFault !== undefined) {
    io.err.write(
      `${io.err.paint.yellow('warning')}: the security log could not be written: ${cleanText(logFault.message)}\n`,
    )
  }
  if (json) printJson(io.out, { ok: true, action, revision, undo })
  else io.out.write(`${action}: ${cleanText(target)}\n  undo: steward security undo ${undo}\n`)
}
