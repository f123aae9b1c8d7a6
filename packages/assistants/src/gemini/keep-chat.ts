import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { parseJsonObject } from '@steward/contract'
import { isAbsent } from '@steward/platform'
import type { DrivePlace } from '../acp/drive-spec.ts'
import { geminiFolder } from './files.ts'

const SHORT_ID_CHARS = 8

/**
 * Gemini CLI 0.61 destroys the chat that it loads: it first begins a new record under the same id,
 * whose file has the same name if the minute is the same, and its cleanup then deletes all files with
 * that id because the new record is empty. Under another name the chat is found by its content, kept
 * by the cleanup, and continued.
 */
export const keepChat = (session: string, place: DrivePlace): void => {
  const ending = `-${session.slice(0, SHORT_ID_CHARS)}.jsonl`
  const projects = join(geminiFolder(place), 'tmp')
  for (const project of namesIn(projects)) {
    const folder = join(projects, project, 'chats')
    for (const name of namesIn(folder)) {
      if (!name.endsWith(ending)) continue
      const path = join(folder, name)
      const text = readFileSync(path, 'utf8')
      const [head = ''] = text.split('\n', 1)
      if (parseJsonObject(head)?.sessionId !== session || !hasPrompt(text)) continue
      // The cleanup goes by the last eight characters.
      renameSync(path, join(folder, name.replace(ending, `-${session.replaceAll('-', '')}.jsonl`)))
    }
  }
}

/** A record without any prompt is left to the cleanup. */
const hasPrompt = (text: string): boolean =>
  text.split('\n').some((line) => parseJsonObject(line)?.type === 'user')

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch (thrown) {
    if (isAbsent(thrown)) return []
    throw thrown
  }
}
