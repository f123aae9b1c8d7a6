import type { TrashedNote } from '@steward/contract'
import { emptyTrash, keyOf, listTrash } from '@steward/knowledge'
import { Command } from 'commander'
import { parseCount } from '../../input/option-values.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { openKnowledge } from './open-knowledge.ts'
import { createKnowledgeRestoreCommand } from './write.ts'

const DAY_MS = 86_400_000

export const createKnowledgeTrashCommand = (io: Io): Command =>
  new Command('trash')
    .description('List, restore and delete removed notes')
    .addCommand(createListCommand(io), { isDefault: true })
    .addCommand(createKnowledgeRestoreCommand(io))
    .addCommand(createEmptyCommand(io))

const createListCommand = (io: Io): Command =>
  new Command('list')
    .description('List removed notes, newest first')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const { archive } = await openKnowledge(io)
      const notes = listTrash(archive)
      if (json) return printJson(io.out, { notes })
      io.out.write(notes.length === 0 ? 'the trash is empty\n' : formatTable(notes.map(rowOf)))
    })

const rowOf = (note: TrashedNote): string[] => [
  keyOf(note),
  note.version,
  note.trashedAt,
  cleanText(note.title),
]

const createEmptyCommand = (io: Io): Command =>
  new Command('empty')
    .description('Delete everything in the trash for good')
    .option('--older-than <days>', 'only notes older than this', parseCount)
    .option('--yes', 'delete; otherwise only show what would be deleted')
    .option('--json', 'print JSON')
    .action(async (flags: { olderThan?: number; yes?: true; json?: true }) => {
      const { archive } = await openKnowledge(io)
      const beforeMs =
        flags.olderThan === undefined ? undefined : io.now() - flags.olderThan * DAY_MS
      if (flags.yes === true) {
        const removed = await emptyTrash(archive, { beforeMs })
        if (flags.json) printJson(io.out, { removed })
        else io.out.write(`permanently deleted ${countOf(removed)}\n`)
        return
      }
      const going = listTrash(archive).filter(
        ({ trashedAt }) => beforeMs === undefined || Date.parse(trashedAt) < beforeMs,
      )
      if (flags.json) return printJson(io.out, { removed: 0, wouldRemove: going })
      io.out.write(formatTable(going.map(rowOf)))
      io.out.write(
        going.length === 0
          ? 'nothing to remove\n'
          : `${countOf(going.length)} would be permanently deleted: ${COMMAND} knowledge trash empty --yes\n`,
      )
    })

const countOf = (count: number): string => `${count} ${count === 1 ? 'text' : 'texts'}`
