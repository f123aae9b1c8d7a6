import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { KnowledgeDomain } from '@steward/contract'
import { type FolderImport, importFolder } from '@steward/knowledge'
import { createWatchFolder, expandTilde } from '@steward/platform'
import { Command } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { countOf } from '../../output/count-of.ts'
import { printJson } from '../../output/print-json.ts'
import { createProgressBar } from '../../output/progress-bar.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { openKnowledge, parseDomainOption } from './open-knowledge.ts'

interface ImportFlags {
  domain: KnowledgeDomain
  dryRun?: true
  watch?: true
  json?: true
}

const HELP = `
Titles, tags, aliases, links, attachments and subfolders are taken over. Import the same folder again
to take over changes: notes that you changed or removed here stay as they are. The folder itself is
never changed. To search a folder without copying it: ${COMMAND} knowledge use DIR
`

export const createKnowledgeImportCommand = (io: Io): Command =>
  new Command('import')
    .description('Import a folder of Markdown, such as an Obsidian vault')
    .argument('<folder>', 'the folder with your notes')
    .option(
      '--domain <domain>',
      'domain of notes without a type or a folder of that name',
      parseDomainOption,
      'Ideas',
    )
    .option('--dry-run', 'show what would be imported; write nothing')
    .option('--watch', 'keep importing changes until stopped')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (given: string, flags: ImportFlags) => {
      const folder = resolve(io.cwd, expandTilde(given, io.homedir))
      const result = await runImport(io, folder, flags)
      print(io, result, flags)
      if (flags.watch === true && flags.dryRun !== true) await follow(io, folder, flags, result)
    })

const runImport = async (
  io: Io,
  folder: string,
  { domain, dryRun = false }: Pick<ImportFlags, 'domain'> & { dryRun?: boolean },
): Promise<FolderImport> => {
  const { home, loaded } = await openKnowledge(io)
  const bar = createProgressBar(io.err, 'importing')
  try {
    const ports = { home, loaded, onProgress: bar.show }
    return await importFolder(ports, { folder, domain, dryRun })
  } finally {
    bar.clear()
  }
}

const SHOWN = 20

const print = (io: Io, result: FolderImport, { dryRun, json }: ImportFlags): void => {
  if (json) {
    printJson(io.out, { ...result, dryRun: dryRun === true })
    return
  }
  const count = (outcome: string) => result.notes.filter((note) => note.outcome === outcome).length
  const would = dryRun === true ? 'would be ' : ''
  io.out.write(
    `${countOf(result.notes.length, 'note')}: ${count('added')} ${would}added, ${count('updated')} ${would}updated, ` +
      `${count('unchanged')} unchanged, ${count('kept')} kept as changed or removed here\n`,
  )
  if (dryRun === true)
    list(
      io,
      'Notes',
      result.notes.map(({ path, file, outcome }) => `${path} → ${file} (${outcome})`),
    )
  if (result.attachments.length > 0)
    io.out.write(`${countOf(result.attachments.length, 'attachment')} ${would}copied\n`)
  list(io, 'Problems', result.problems.map(describe))
  list(io, 'Not imported', result.skipped.map(describe))
  list(io, 'No longer in the folder, kept here', result.gone)
  if (dryRun === true) io.out.write('Nothing was written.\n')
}

const describe = ({ file, reason }: { file: string; reason: string }): string =>
  `${file}: ${reason}`

const list = (io: Io, heading: string, lines: readonly string[]): void => {
  if (lines.length === 0) return
  io.out.write(`${io.out.paint.bold(heading)} (${lines.length})\n`)
  for (const line of lines.slice(0, SHOWN)) io.out.write(`  ${cleanText(line)}\n`)
  if (lines.length > SHOWN) io.out.write(`  and ${lines.length - SHOWN} more (--json)\n`)
}

const SETTLE_MS = 300
/** Changes are also looked for at this interval, for file systems without watching. */
const POLL_MS = 5000

const follow = async (
  io: Io,
  folder: string,
  flags: ImportFlags,
  first: FolderImport,
): Promise<void> => {
  let before = first
  let isChanged = false
  let wake = new AbortController()
  const warn = (message: string) => io.err.write(`${message}\n`)
  const end = createWatchFolder(warn, { recursive: true })(folder, {
    onChange: () => {
      isChanged = true
      wake.abort()
    },
    onEnd: () => undefined,
  })
  io.err.write(`watching ${cleanText(folder)}; stop with Ctrl+C\n`)
  while (!io.signal.aborted) {
    await pause(POLL_MS, AbortSignal.any([wake.signal, io.signal]))
    if (io.signal.aborted) break
    if (isChanged) await pause(SETTLE_MS, io.signal)
    isChanged = false
    wake = new AbortController()
    const result = await runImport(io, folder, flags)
    for (const line of newsOf(before, result)) io.out.write(`${cleanText(line)}\n`)
    before = result
  }
  end?.()
  io.exitCode = EXIT.success
}

/** Reports what an import did, and problems that the previous import did not have. */
const newsOf = (before: FolderImport, { notes, problems, skipped, gone }: FolderImport) => {
  const known = new Set([...before.problems, ...before.skipped].map(describe))
  return [
    ...notes.flatMap(({ path, file, outcome }) =>
      outcome === 'added' || outcome === 'updated' ? [`${outcome} ${path} → ${file}`] : [],
    ),
    ...problems.map(describe).filter((each) => !known.has(each)),
    ...skipped.map(describe).flatMap((each) => (known.has(each) ? [] : [`not imported: ${each}`])),
    ...gone.flatMap((each) =>
      before.gone.includes(each) ? [] : [`no longer in the folder, kept here: ${each}`],
    ),
  ]
}

const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  await wait(ms, undefined, { signal, ref: true }).catch(() => undefined)
}
