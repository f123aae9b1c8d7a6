import { PATH_TIERS, PATTERN_SECTIONS } from '@steward/contract'
import { readSecurityText } from '@steward/platform'
import type { Policy } from '@steward/policy'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { openHomePolicy, openSecurity } from './open-security.ts'

export const createSecurityShowCommand = (io: Io): Command =>
  new Command('show')
    .description('Show the policy: its patterns and path tiers')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { home } = await openSecurity(io)
      const policy = await openHomePolicy(io)
      const { revision } = await readSecurityText(home, 'policy')
      const { source, warnings, definition } = policy
      if (json) return printJson(io.out, { source, revision, warnings, ...definition })
      for (const warning of warnings) {
        io.err.write(`${io.err.paint.yellow('warning')}: ${cleanText(warning)}\n`)
      }
      io.out.write(render(policy, io))
    })

const render = ({ definition, patterns, paths }: Policy, { out: { paint } }: Io): string => {
  const mark = (isShadow: boolean) => (isShadow ? paint.dim(' (in shadow)') : '')
  const bash = PATTERN_SECTIONS.flatMap((section) => [
    paint.bold(`bash.${section}`),
    ...definition.bash[section].map(({ pattern, reason }, n) => {
      const why = reason === '' ? '' : paint.dim(`  ${cleanText(reason)}`)
      return `  ${cleanText(pattern)}${why}${mark(patterns[section][n]?.isShadow === true)}`
    }),
  ])
  const tiers = PATH_TIERS.flatMap((tier) => [
    paint.bold(`paths.${tier}`),
    ...definition.paths[tier].map((path) => {
      const rule = `paths.${tier}: ${path}`
      return `  ${cleanText(path)}${mark(paths.some((each) => each.rule === rule && each.isShadow))}`
    }),
  ])
  return `${[...bash, ...tiers].join('\n')}\n`
}
