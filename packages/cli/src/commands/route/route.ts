import { explainRoute, rosterEntryOf, route } from '@steward/agents'
import { EFFORTS, type Effort, PHASES, type Phase, StewardError } from '@steward/contract'
import { resolveHome } from '@steward/platform'
import { Command, InvalidArgumentError } from 'commander'
import { collectText } from '../../input/collect-text.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { readRoster, readRouting, warnOf } from '../agents/roster.ts'

interface RouteFlags {
  effort?: Effort
  phase?: Phase
  unattended?: true
  json?: true
}

const HELP = `
Examples:
  steward route "spin up custom agents for the review"
  steward route "implement the ledger" --effort E4
  steward route "check the result" --effort E4 --phase VERIFY
  steward route "rebuild the index" --unattended --json
  echo "research tea" | steward route -

Prints the system, subagent type, model tier, skill and workflow for a request, with the rule, the reason
and the alternatives that also matched. If no rule matches, or only one for everyday words, a
classifier decides by the words (rule: learned). Nothing is launched. Put your own rules and names into
USER/AGENTS/routing.yaml, and your named agents into USER/AGENTS (docs/agents.md).
`

export const createRouteCommand = (io: Io): Command =>
  new Command('route')
    .description('Show which agent fits a request, and why')
    .argument('<request>', 'the request, in your words; - reads standard input')
    .option('--effort <level>', 'E1 to E5', parseOneOf<Effort>(EFFORTS))
    .option('--phase <phase>', 'the phase of the work, such as VERIFY', parseOneOf<Phase>(PHASES))
    .option('--unattended', 'the session runs unattended')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (given: string, { effort, phase, unattended, json }: RouteFlags) => {
      const request = given === '-' ? await collectText(io.stdin, 'standard input') : given
      if (request.trim() === '') {
        const reason = 'give the request'
        throw new StewardError('invalid_input', { subject: 'steward route', reason })
      }
      const home = resolveHome(io.env, io.homedir)
      const { agents, problems } = await readRoster(home)
      warnOf(io, problems.map(cleanText))
      const answer = route(request, {
        roster: agents.map(({ agent }) => rosterEntryOf(agent)),
        routing: await readRouting(home),
        ...(effort === undefined ? {} : { effort }),
        ...(phase === undefined ? {} : { phase }),
        ...(unattended === undefined ? {} : { unattended }),
      })
      if (json) printJson(io.out, answer)
      else io.out.write(colourFirst(io, cleanText(explainRoute(answer))))
    })

const colourFirst = (io: Io, text: string): string => {
  const [first = '', ...rest] = text.split('\n')
  return [io.out.paint.bold(first), ...rest].join('\n')
}

const parseOneOf =
  <T extends string>(values: readonly T[]) =>
  (word: string): T => {
    const found = values.find((value) => value === word.toUpperCase())
    if (found !== undefined) return found
    throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`)
  }
