import type { Program } from '../program.ts'

const CHANGES: Readonly<Record<string, readonly string[]>> = {
  security: ['add', 'remove', 'undo', 'shadow', 'off', 'disable'],
  hooks: ['uninstall'],
}

/** The guards' own command: only the person may change the guards, not the assistant. */
const steward: Program = ({ args, shell }) => {
  const [room = '', verb = ''] = args.filter((arg) => !arg.startsWith('-'))
  if (Object.hasOwn(CHANGES, room) && CHANGES[room]?.includes(verb)) {
    shell.emit({
      kind: 'hazard',
      rule: 'builtin:self-protection (steward)',
      verdict: 'deny',
      reason: `steward ${room} ${verb} changes the guards`,
    })
  }
  return ''
}

export const STEWARD_PROGRAMS: Record<string, Program> = { steward, 'steward.mjs': steward }
