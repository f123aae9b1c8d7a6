import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isJsonObject, StewardError } from '@steward/contract'
import { isMissing, setJsonMember, writeFileAtomically } from '@steward/platform'
import type { Io } from '../../io.ts'
import { quoteWord } from '../../output/format.ts'
import { findInstallation } from '../../setup/installation.ts'

/** Ours, also as another installation or version wrote it. */
const OURS = /\bsteward(\.mjs'?)? statusline$/

/** Claude Code gives it to a shell, which finds no `steward` of a clone and no data home of this one. */
const commandLine = ({ STEWARD_HOME }: Io['env'], isClone: boolean): string => {
  const launcher = join(findInstallation().root, 'packages/cli/bin/steward.mjs')
  const program = isClone ? [process.execPath, launcher].map(quoteWord).join(' ') : 'steward'
  const home = STEWARD_HOME ? `STEWARD_HOME=${quoteWord(STEWARD_HOME)} ` : ''
  return `${home}${program} statusline`
}

/** Adds the status line to the settings of Claude Code, unless it shows another one. */
export const installStatusline = async (
  { env, homedir }: Pick<Io, 'env' | 'homedir'>,
  isClone: boolean = findInstallation().isClone,
): Promise<string> => {
  const command = commandLine(env, isClone)
  const path = join(env.CLAUDE_CONFIG_DIR || join(homedir, '.claude'), 'settings.json')
  const text = await readFile(path, 'utf8').catch((thrown: unknown) => {
    if (isMissing(thrown)) return '{}\n'
    throw thrown
  })
  const settings: unknown = JSON.parse(text)
  const known = isJsonObject(settings) ? settings.statusLine : undefined
  if (known !== undefined) {
    const line = isJsonObject(known) ? String(known.command) : ''
    if (line === command) return `already in ${path}\n`
    if (!OURS.test(line)) {
      const reason = 'it shows another status line; remove `statusLine` there first'
      throw new StewardError('invalid_input', { subject: path, reason })
    }
  }
  const changed = setJsonMember(text, ['statusLine'], { type: 'command', command })
  await mkdir(dirname(path), { recursive: true })
  await writeFileAtomically(path, changed)
  return `added to ${path}; Claude Code shows it from the next session on\n`
}
