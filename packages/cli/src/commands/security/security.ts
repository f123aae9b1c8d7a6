import {
  nearestName,
  PATH_TIERS,
  PATTERN_SECTIONS,
  type PathTier,
  type PatternSection,
  StewardError,
} from '@steward/contract'
import { lastSecurityChange, undoSecurityChange, verifySecurityLog } from '@steward/platform'
import { Command, InvalidArgumentError } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { changePolicy, printChange } from './change-policy.ts'
import { createSecurityEventsCommand } from './events.ts'
import { openSecurity } from './open-security.ts'
import { createSecurityShowCommand } from './show.ts'
import { createSecurityTryCommand } from './try.ts'

const HELP = `
Examples:
  steward security try --input 'git push --force'        what the guards would say
  steward security show                                  the policy that holds
  steward security add blocked '^terraform destroy' --reason 'tears everything down'
  steward security add readOnly ~/contracts
  steward security remove blocked '^terraform destroy'
  steward security shadow 'bash.blocked: ^mkfs'          only counts what it would do
  steward security undo                                  takes the last change back
  steward security events --limit 20                     what the guards did
  steward security verify                                whether the log is as it was written

The policy is USER/SECURITY/PATTERNS.yaml of the data home; changes hold from the next tool call on.
`

export const createSecurityCommand = (io: Io): Command =>
  new Command('security')
    .description('What the guards let pass, and why: try, change and look back.')
    .addCommand(createSecurityTryCommand(io))
    .addCommand(createSecurityShowCommand(io))
    .addCommand(createSecurityAddCommand(io))
    .addCommand(createSecurityRemoveCommand(io))
    .addCommand(createSecurityShadowCommand(io))
    .addCommand(createSecurityUndoCommand(io))
    .addCommand(createSecurityEventsCommand(io))
    .addCommand(createSecurityVerifyCommand(io))
    .addHelpText('after', HELP)

interface AddFlags {
  reason?: string
  shadow?: true
  json?: true
}

const createSecurityAddCommand = (io: Io): Command =>
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

const createSecurityRemoveCommand = (io: Io): Command =>
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

interface ShadowFlags {
  off?: true
  json?: true
}

const createSecurityShadowCommand = (io: Io): Command =>
  new Command('shadow')
    .description('Lets a rule only count what it would do, or with --off makes it hold again.')
    .argument('<rule>', "as show and try name it, a list such as bash.blocked, or '*' for all")
    .option('--off', 'let it hold again')
    .option('--json', 'print JSON')
    .action(async (rule: string, { off, json }: ShadowFlags) => {
      const edit = { action: 'set_shadow', rule, shadow: off !== true } as const
      await changePolicy(io, edit, `${off === true ? 'off' : 'on'}: ${rule}`, json === true)
    })

const createSecurityUndoCommand = (io: Io): Command =>
  new Command('undo')
    .description('Takes a change of the policy or the rules back: the last one unless named.')
    .argument('[change]', 'the name that the change was given')
    .option('--json', 'print JSON')
    .action(async (change: string | undefined, { json }: { json?: true }) => {
      const { home, ports } = await openSecurity(io)
      const id = change ?? (await lastSecurityChange(home))
      if (id === undefined) {
        throw new StewardError('not_found', { what: 'change of the policy', name: '(none yet)' })
      }
      printChange(io, 'undo', id, await undoSecurityChange(home, id, ports), json === true)
    })

/** Where an entry of the policy stands: a section of patterns, or a tier of paths. */
type PolicyList = { section: PatternSection } | { tier: PathTier }

const POLICY_LISTS: readonly string[] = [...PATTERN_SECTIONS, ...PATH_TIERS]

const parsePolicyList = (word: string): PolicyList => {
  const section = PATTERN_SECTIONS.find((each) => each === word)
  if (section !== undefined) return { section }
  const tier = PATH_TIERS.find((each) => each.toLowerCase() === word.toLowerCase())
  if (tier !== undefined) return { tier }
  const near = nearestName(word, POLICY_LISTS)
  throw new InvalidArgumentError(
    `${near === undefined ? '' : `Did you mean ${near}? `}There are ${POLICY_LISTS.join(', ')}.`,
  )
}

const createSecurityVerifyCommand = (io: Io): Command =>
  new Command('verify')
    .description('Checks that the security log is as it was written; ends with 1 when it is not.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { home } = await openSecurity(io)
      const check = await verifySecurityLog(home)
      if (!check.ok) io.exitCode = EXIT.failed
      if (json) return printJson(io.out, check)
      const { rows, torn, firstBroken } = check
      const { paint } = io.out
      const cut = torn === 0 ? '' : `; ${torn} writes were cut short`
      if (firstBroken === undefined) {
        io.out.write(`${paint.green('as it was written')}: ${rows} rows${cut}\n`)
        return
      }
      const { file, line, why } = firstBroken
      const where = line > 0 ? `${file}, line ${line}` : file
      io.out.write(
        `${paint.red('not as it was written')}: ${cleanText(where)}: ${cleanText(why)}\n`,
      )
    })
