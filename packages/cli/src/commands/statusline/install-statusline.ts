import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isJsonObject, StewardError } from '@steward/contract'
import { isMissing, setJsonMember, writeFileAtomically } from '@steward/platform'
import type { Io } from '../../io.ts'

const COMMAND = 'steward statusline'

/** Adds the status line to the settings of Claude Code, unless it shows another one. */
export const installStatusline = async ({
  env,
  homedir,
}: Pick<Io, 'env' | 'homedir'>): Promise<string> => {
  const path = join(env.CLAUDE_CONFIG_DIR || join(homedir, '.claude'), 'settings.json')
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    if (isMissing(thrown)) return '{}\n'
    throw thrown
  })
  const settings: unknown = JSON.parse(text)
  const known = isJsonObject(settings) ? settings.statusLine : undefined
  if (known !== undefined) {
    if (isJsonObject(known) && known.command === COMMAND) return `already in ${path}\n`
    const reason = 'it shows another status line; remove `statusLine` there first'
    throw new StewardError('invalid_input', { subject: path, reason })
  }
  const changed = setJsonMember(text, ['statusLine'], { type: 'command', command: COMMAND })
  await mkdir(dirname(path), { recursive: true })
  await writeFileAtomically(path, changed)
  return `added to ${path}; Claude Code shows it from the next session on\n`
}
