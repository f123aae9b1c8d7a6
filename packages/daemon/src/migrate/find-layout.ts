import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { StewardError } from '@steward/contract'
import type { MoveItem } from './move.ts'

/** Where the parts of a LifeOS or PAI installation are. */
export interface Layout {
  /** The folder with `MEMORY` and `USER`. */
  root: string
  memory?: string
  user?: string
  /** The assistant's settings file, which LifeOS shares. */
  settings?: string
  envFile?: string
}

/** Below the folder that a person names: `~`, `~/.claude`, or the tree itself. */
const ROOTS = [
  '',
  'PAI',
  'LIFEOS',
  'LifeOS',
  '.claude',
  '.claude/PAI',
  '.claude/LIFEOS',
  '.claude/LifeOS',
]

/** Finds the tree in the folder, in the layouts of versions 4, 5 and 7. */
export const findLayout = (folder: string): Layout => {
  if (!existsSync(folder) || !lstatSync(realpathSync(folder)).isDirectory()) {
    throw new StewardError('folder_not_found', { folder })
  }
  const start = realpathSync(resolve(folder))
  const root = ROOTS.map((each) => join(start, each)).find(
    (each) => isFolder(join(each, 'MEMORY')) || isFolder(join(each, 'USER')),
  )
  if (root === undefined) {
    const reason = 'it contains neither MEMORY nor USER, not even below .claude, PAI or LIFEOS'
    throw new StewardError('invalid_input', { subject: folder, reason, field: 'folder' })
  }
  const near = [root, dirname(root), join(root, '.claude')].filter(
    (each) => each.startsWith(start) || basename(each) === '.claude',
  )
  const first = (name: string) => near.map((each) => join(each, name)).find(isFile)
  const memory = join(root, 'MEMORY')
  const user = join(root, 'USER')
  const settings = first('settings.json')
  const envFile = first('.env')
  return {
    root,
    ...(isFolder(memory) ? { memory } : {}),
    ...(isFolder(user) ? { user } : {}),
    ...(settings === undefined ? {} : { settings }),
    ...(envFile === undefined ? {} : { envFile }),
  }
}

const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
const isFile = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Other files of the tree and of the assistant's folder, which are not moved. */
export const listOthers = ({ root, settings, envFile }: Layout): MoveItem[] => {
  const around = dirname(root)
  const isAssistants = basename(around) === '.claude'
  const handled = new Set([root, settings, envFile, join(root, 'MEMORY'), join(root, 'USER')])
  return [root, ...(isAssistants ? [around] : [])].flatMap((folder) =>
    readdirSync(folder)
      .toSorted()
      .filter((name) => !handled.has(join(folder, name)))
      .map((name) => ({
        part: 'other',
        from: folder === root ? name : `${basename(folder)}/${name}`,
        outcome: 'left' as const,
        note:
          folder === root
            ? 'not used by Steward'
            : 'it belongs to the assistant, which still reads it',
      })),
  )
}

/** All files below a folder, relative and sorted; links and other kinds are named separately. */
export const listFiles = (folder: string): { files: string[]; others: string[] } => {
  const files: string[] = []
  const others: string[] = []
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1)
    if (entry.isFile()) files.push(path)
    else if (!entry.isDirectory()) others.push(path)
  }
  return { files: files.toSorted(), others: others.toSorted() }
}
