import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { changePolicy } from './change-policy.ts'
import { POLICY_LISTS, type PolicyList, parsePolicyList } from './policy-lists.ts'

export const createSecurityRemoveCommand = (io: Io): Command =>
  new Command('remove')
    .description('Takes a pattern or a path out of the policy.')
    .argument('<list>', POLICY_LISTS.join(', '), parsePolicyList)
    .argument('<entry>', 'the pattern or path, exactly as it stands there')
    .option('--json', 'print JSON')
    .action(async (list: PolicyList, entry: string, { json }: { json?: true }) => {
      if ('tier' in list) {
        const edit = { action: 'remove_path', tier: list.tier, path: entry } as const
        await changePolicy(io, edit, `paths.${list.tier}: ${entry}`, json === true)
        return
      }
      const edit = { action: 'remove_pattern', section: list.section, pattern: entry } as const
      await changePolicy(io, edit, `bash.${list.section}: ${entry}`, json === true)
    })
