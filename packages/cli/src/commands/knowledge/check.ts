import {
  type ArchivePlace,
  applyMendings,
  checkArchive,
  type Finding,
  type LoadedArchive,
  type Mending,
  type MendingOutcome,
} from '@steward/knowledge'
import { Command } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { printJson } from '../../output/print-json.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { openKnowledge } from './open-knowledge.ts'

const KINDS: readonly [Finding['kind'], string][] = [
  ['file', 'Files'],
  ['frontmatter', 'Frontmatter'],
  ['broken-link', 'Broken links'],
  ['duplicate', 'Duplicates'],
  ['orphan', 'Orphans'],
]

export const createKnowledgeCheckCommand = (io: Io): Command =>
  new Command('check')
    .description('Find broken links, orphans, duplicates, bad frontmatter')
    .option('--fix', 'fix what needs no decision; never removes text')
    .option('--json', 'print JSON')
    .action(async ({ fix, json }: { fix?: true; json?: true }) => {
      const { archive, loaded } = await openKnowledge(io)
      const { findings, mendings } = checkArchive(archive.root, loaded)
      const changes = fix === true ? await fixAll(archive, loaded, mendings) : []
      const open = fix === true ? findings.filter((each) => each.fix === undefined) : findings
      const failed = changes.filter(({ fault }) => fault !== undefined)
      if (open.some(({ kind }) => kind !== 'orphan') || failed.length > 0) io.exitCode = EXIT.failed
      if (json) {
        const planned = mendings.map(({ file, changes: what }) => ({ file, changes: what }))
        printJson(io.out, { findings, planned, applied: changes })
        return
      }
      if (findings.length === 0) io.out.write(`${loaded.index.notes().length} notes, all well\n`)
      for (const [kind, heading] of KINDS)
        print(
          io,
          heading,
          findings.filter((each) => each.kind === kind),
        )
      if (fix === true) printChanges(io, changes)
      else if (mendings.length > 0) {
        io.out.write(`\n${COMMAND} knowledge check --fix fixes ${mendings.length} files\n`)
      }
    })

const SHOWN = 50

const print = (io: Io, heading: string, findings: readonly Finding[]): void => {
  if (findings.length === 0) return
  io.out.write(`${io.out.paint.bold(heading)} (${findings.length})\n`)
  for (const { file, message, fix } of findings.slice(0, SHOWN)) {
    io.out.write(`  ${cleanText(`${file}: ${message}`)}\n`)
    if (fix !== undefined) io.out.write(io.out.paint.dim(`    fix: ${cleanText(fix)}\n`))
  }
  if (findings.length > SHOWN) io.out.write(`  and ${findings.length - SHOWN} more (--json)\n`)
}

const printChanges = (io: Io, outcomes: readonly MendingOutcome[]): void => {
  for (const { file, changes, fault } of outcomes) {
    const shown = fault === undefined ? io.out.paint.green('mended') : io.out.paint.red('left')
    io.out.write(
      `${shown} ${cleanText(file)}${fault === undefined ? '' : `: ${cleanText(fault)}`}\n`,
    )
    for (const change of changes) io.out.write(`  + ${cleanText(change)}\n`)
  }
}

const MOST_ROUNDS = 3

/** A renamed file may need further repairs, which a second look finds. */
const fixAll = async (
  archive: ArchivePlace,
  loaded: LoadedArchive,
  first: readonly Mending[],
): Promise<MendingOutcome[]> => {
  const outcomes: MendingOutcome[] = []
  let mendings = first
  for (let round = 0; round < MOST_ROUNDS && mendings.length > 0; round++) {
    const applied = await applyMendings(archive, mendings)
    outcomes.push(...applied)
    if (applied.every(({ fault }) => fault !== undefined)) break
    await loaded.refresh()
    const failed = new Set(
      applied.flatMap(({ file, fault }) => (fault === undefined ? [] : [file])),
    )
    mendings = checkArchive(archive.root, loaded).mendings.filter(({ file }) => !failed.has(file))
  }
  return outcomes
}
