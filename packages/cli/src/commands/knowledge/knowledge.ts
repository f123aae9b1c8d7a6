import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { createKnowledgeCheckCommand } from './check.ts'
import { createKnowledgeEditCommand } from './edit.ts'
import { createKnowledgeLearnCommand } from './learn.ts'
import { createKnowledgeListCommand } from './list.ts'
import { createKnowledgeSearchCommand } from './search.ts'
import { createKnowledgeMocCommand, createKnowledgeShowCommand } from './show.ts'
import { createKnowledgeTrashCommand } from './trash.ts'
import {
  createKnowledgeAddCommand,
  createKnowledgeRemoveCommand,
  createKnowledgeRenameCommand,
  createKnowledgeRestoreCommand,
} from './write.ts'

const HELP = `
Examples:
  steward knowledge add people "Ada Lovelace" --tags mathematics,computing
  steward knowledge add ideas "Back off by host" --body @notes.md
  steward knowledge search retries
  steward knowledge show ada-lovelace
  steward knowledge rename back-off-by-host --title "Back off per host"
  steward knowledge trash                       what can be had back
  steward knowledge check --fix
  steward knowledge learn                       what finished work says was learned

Notes are Markdown files in MEMORY/KNOWLEDGE of the data home; edit them with anything. No daemon
is needed. docs/knowledge.md says more.
`

export const createKnowledgeCommand = (io: Io): Command =>
  new Command('knowledge')
    .description('What you know: people, companies, ideas, research.')
    .addCommand(createKnowledgeListCommand(io), { isDefault: true })
    .addCommand(createKnowledgeSearchCommand(io))
    .addCommand(createKnowledgeShowCommand(io))
    .addCommand(createKnowledgeAddCommand(io))
    .addCommand(createKnowledgeEditCommand(io))
    .addCommand(createKnowledgeRenameCommand(io))
    .addCommand(createKnowledgeRemoveCommand(io))
    .addCommand(createKnowledgeRestoreCommand(io))
    .addCommand(createKnowledgeTrashCommand(io))
    .addCommand(createKnowledgeCheckCommand(io))
    .addCommand(createKnowledgeMocCommand(io))
    .addCommand(createKnowledgeLearnCommand(io))
    .addHelpText('after', HELP)
