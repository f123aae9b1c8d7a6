import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { changePolicy } from './change-policy.ts'

interface ShadowFlags {
  off?: true
  json?: true
}

export const createSecurityShadowCommand = (io: Io): Command =>
  new Command('shadow')
    .description('Lets a rule only count what it would do, or with --off makes it hold again.')
    .argument('<rule>', "as show and try name it, a list such as bash.blocked, or '*' for all")
    .option('--off', 'let it hold again')
    .option('--json', 'print JSON')
    .action(async (rule: string, { off, json }: ShadowFlags) => {
      const edit = { action: 'set_shadow', rule, shadow: off !== true } as const
      await changePolicy(io, edit, `${off === true ? 'off' : 'on'}: ${rule}`, json === true)
    })
