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
  steward security try --input 'git push --force'        test a command against the policy
  steward security show                                  print the policy
  steward security add blocked '^terraform destroy' --reason 'tears everything down'
  steward security add readOnly ~/contracts
  steward security remove blocked '^terraform destroy'
  steward security shadow 'bash.blocked: ^mkfs'          log matches without enforcing
  steward security undo                                  undo the last change
  steward security events --limit 20                     list recent decisions
  steward security verify                                check that the log was not altered

The policy is USER/SECURITY/PATTERNS.yaml of the data home; changes apply from the next tool call on.
`

export const createSecurityCommand = (io: Io): Command =>
  new Command('security')
    .description('Test and change the security policy')
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
    .description('Add a command pattern or a path to the policy')
    .argument('<list>', POLICY_LISTS.join(', '), parsePolicyList)
    .argument('<entry>', 'a regular expression, or a path such as ~/contracts/**')
    .option('--reason <text>', 'reason shown on refusal (patterns only)')
    .option('--shadow', 'log matches without enforcing (patterns only)')
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
    .description('Remove a pattern or a path from the policy')
    .argument('<list>', POLICY_LISTS.join(', '), parsePolicyList)
    .argument('<entry>', 'the pattern or path, exactly as listed')
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
    .description('Log matches of a rule without enforcing; --off enforces')
    .argument('<rule>', "a rule as in show and try, a list such as bash.blocked, or '*' for all")
    .option('--off', 'enforce it again')
    .option('--json', 'print JSON')
    .action(async (rule: string, { off, json }: ShadowFlags) => {
      const edit = { action: 'set_shadow', rule, shadow: off !== true } as const
      await changePolicy(io, edit, `${off === true ? 'off' : 'on'}: ${rule}`, json === true)
    })

const createSecurityUndoCommand = (io: Io): Command =>
  new Command('undo')
    .description('Undo a policy change, by default the last one')
    .argument('[change]', 'the id of the change')
    .option('--json', 'print JSON')
    .action(async (change: string | undefined, { json }: { json?: true }) => {
      const { home, ports } = await openSecurity(io)
      const id = change ?? (await lastSecurityChange(home))
      if (id === undefined) {
        throw new StewardError('not_found', { what: 'change of the policy', name: '(none yet)' })
      }
      printChange(io, 'undo', id, await undoSecurityChange(home, id, ports), json === true)
    })

/** The list of a policy entry: a section of patterns, or a tier of paths. */
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
    .description('Verify the security log; exits 1 if it was altered')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { home } = await openSecurity(io)
      const check = await verifySecurityLog(home)
      if (!check.ok) io.exitCode = EXIT.failed
      if (json) return printJson(io.out, check)
      const { rows, torn, firstBroken } = check
      const { paint } = io.out
      const cut = torn === 0 ? '' : `; ${torn} interrupted writes`
      if (firstBroken === undefined) {
        io.out.write(`${paint.green('intact')}: ${rows} rows${cut}\n`)
        return
      }
      const { file, line, why } = firstBroken
      const where = line > 0 ? `${file}, line ${line}` : file
      io.out.write(`${paint.red('altered')}: ${cleanText(where)}: ${cleanText(why)}\n`)
    })
