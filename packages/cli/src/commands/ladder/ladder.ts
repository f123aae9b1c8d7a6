import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createLadderAddCommand } from './add.ts'
import { createLadderListCommand } from './list.ts'
import { createLadderPromoteCommand } from './promote.ts'
import { createLadderShowCommand } from './show.ts'

const HELP = `
Examples:
  steward ladder                                        all six stages
  steward ladder add sources "A paper on retries"
  steward ladder add ideas "Back off by host" --from SR-001 --body @notes.md
  steward ladder promote ID-001                         a hypothesis grows out of it
  steward ladder show HY-001

Sources, ideas, hypotheses, experiments, algorithms, results: Markdown files in
MEMORY/LEARNING/LADDER of the data home, or where learning.ladder in settings.json says.
`

export const createLadderCommand = (io: Io): Command =>
  new Command('ladder')
    .description('The improvement ladder: from what you found to what came of it.')
    .addCommand(createLadderListCommand(io), { isDefault: true })
    .addCommand(createLadderAddCommand(io))
    .addCommand(createLadderPromoteCommand(io))
    .addCommand(createLadderShowCommand(io))
    .addHelpText('after', HELP)
