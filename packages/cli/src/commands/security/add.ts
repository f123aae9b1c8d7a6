import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { changePolicy } from './change-policy.ts'
import { POLICY_LISTS, type PolicyList, parsePolicyList } from './policy-lists.ts'

interface AddFlags {
  reason?: string
  shadow?: true
  json?: true
}

export const createSecurityAddCommand = (io: Io): Command =>
  new Command('add')
    .description('Adds a pattern for commands, or a path, to the policy.')
    .argument('<list>', POLICY_LISTS.join(', '), parsePolicyList)
    .argument('<entry>', 'a regular expression, or a path such as ~/contracts/**')
    .option('--reason <text>', 'why, for whoever is refused (patterns only)')
    .option('--shadow', 'only count what it would do (patterns only)')
    .option('--json', 'print JSON')
    .action(async (list: PolicyList, entry: string, { reason, shadow, json }: AddFlags) => {
      if ('tier' in list) {
        const edit = { action: 'add_path', tier: list.tier, path: entry } as const
        await changePolicy(io, edit, `paths.${list.tier}: ${entry}`, json === true)
        return
      }
      const edit = {
        action: 'add_pattern',
        section: list.section,
        pattern: entry,
        reason: reason ?? '',
        ...(shadow === true ? { shadow } : {}),
      } as const
      await changePolicy(io, edit, `bash.${list.section}: ${entry}`, json === true)
    })
