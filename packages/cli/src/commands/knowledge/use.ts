import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { StewardError, unwrap } from '@steward/contract'
import { slugify } from '@steward/knowledge'
import {
  changeSettings,
  ensureHome,
  expandTilde,
  readSettings,
  resolveHome,
} from '@steward/platform'
import { Command } from 'commander'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { countOf } from '../../output/count-of.ts'
import { printJson } from '../../output/print-json.ts'
import { formatTable } from '../../output/table.ts'
import { COMMAND } from '../../setup/command-name.ts'
import { useWiki } from '../wiki/open-wiki.ts'

interface UseFlags {
  name?: string
  remove?: true
  json?: true
}

const LONGEST_NAME = 40

export const createKnowledgeUseCommand = (io: Io): Command =>
  new Command('use')
    .description('Search a folder of Markdown where it is, without copying')
    .argument('[folder]', 'the folder, or its name with --remove; none lists all')
    .option('--name <name>', 'its name in search results (default: from the folder)')
    .option('--remove', 'stop searching it; the folder is not changed')
    .option('--json', 'print JSON')
    .action(async (folder: string | undefined, flags: UseFlags) => {
      const home = unwrap(await ensureHome(resolveHome(io.env, io.homedir)))
      const { directories } = unwrap(await readSettings(home)).wiki
      if (folder === undefined) {
        if (flags.json) return printJson(io.out, { directories })
        const rows = Object.entries(directories).map(([name, path]) => [name, cleanText(path)])
        io.out.write(rows.length === 0 ? 'no folders are in use\n' : formatTable(rows))
        return
      }
      const path = resolve(io.cwd, expandTilde(folder, io.homedir))
      if (flags.remove === true) {
        const name = Object.keys(directories).find(
          (each) => each === folder || resolve(home.root, directories[each] ?? '') === path,
        )
        if (name === undefined)
          throw new StewardError('not_found', { what: 'folder', name: folder })
        const { [name]: _, ...rest } = directories
        await changeSettings(home, ['wiki'], { directories: rest })
        io.out.write(`${name} is no longer searched; the folder is unchanged\n`)
        return
      }
      if (!existsSync(path) || !statSync(path).isDirectory()) {
        throw new StewardError('folder_not_found', { folder })
      }
      const real = realpathSync(path)
      const name = flags.name ?? slugify(basename(real)).slice(0, LONGEST_NAME)
      await changeSettings(home, ['wiki', 'directories'], { [name]: real })
      const findings = await findingsOf(io, name)
      if (flags.json) return printJson(io.out, { name, folder: real, findings })
      io.out.write(
        `${name} is searched now: ${COMMAND} wiki search WORDS, the dashboard, and assistants through MCP\n`,
      )
      if (findings.length > 0) {
        const files = countOf(findings.length, 'file')
        io.out.write(
          `${files} cannot be searched (\`${COMMAND} wiki list ${name}\` repeats this):\n`,
        )
        for (const { file, reason } of findings)
          io.out.write(`  ${cleanText(`${file}: ${reason}`)}\n`)
      }
    })

/** Files of the folder that cannot be searched, with the reason. */
const findingsOf = async (io: Io, name: string) => {
  const found: Array<{ file: string; reason: string }> = []
  await useWiki(io, ({ wiki }) => {
    found.push(...wiki.documents.findings().filter(({ file }) => file.startsWith(`${name}/`)))
  })
  return found
}
