import { resolve } from 'node:path'
import { exportNotes } from '@steward/knowledge'
import { expandTilde } from '@steward/platform'
import { Command } from 'commander'
import { EXIT } from '../../errors/exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { countOf } from '../../output/count-of.ts'
import { printJson } from '../../output/print-json.ts'
import { createProgressBar } from '../../output/progress-bar.ts'
import { openKnowledge } from './open-knowledge.ts'

export const createKnowledgeExportCommand = (io: Io): Command =>
  new Command('export')
    .description('Write all notes as a folder for Obsidian and others')
    .argument('<folder>', 'target folder; other files in it are not changed')
    .option('--overwrite', 'replace files that differ')
    .option('--dry-run', 'show what would be written; write nothing')
    .option('--json', 'print JSON')
    .action(async (folder: string, flags: { overwrite?: true; dryRun?: true; json?: true }) => {
      const { archive, loaded } = await openKnowledge(io)
      const bar = createProgressBar(io.err, 'exporting')
      const result = await exportNotes({
        root: archive.root,
        loaded,
        folder: resolve(io.cwd, expandTilde(folder, io.homedir)),
        dryRun: flags.dryRun === true,
        overwrite: flags.overwrite === true,
        onProgress: bar.show,
      }).finally(bar.clear)
      const kept = result.notes.filter(({ outcome }) => outcome === 'kept')
      if (kept.length > 0) io.exitCode = EXIT.failed
      if (flags.json) return printJson(io.out, { ...result, dryRun: flags.dryRun === true })
      const written = result.notes.filter(({ outcome }) => outcome === 'written').length
      const would = flags.dryRun === true ? 'would be ' : ''
      io.out.write(
        `${countOf(written, 'note')} ${would}written, ${result.notes.length - written - kept.length} unchanged, ` +
          `${countOf(result.attachments.length, 'attachment')} ${would}copied\n`,
      )
      for (const { path } of kept)
        io.out.write(`kept ${cleanText(path)}: it differs (--overwrite replaces it)\n`)
      for (const { file, reason } of result.skipped)
        io.out.write(`skipped ${cleanText(`${file}: ${reason}`)}\n`)
    })
