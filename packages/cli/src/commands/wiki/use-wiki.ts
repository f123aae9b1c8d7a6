import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { type OpenWiki, openWiki } from './open-wiki.ts'

/** Opens the wiki for one piece of work. */
export const useWiki = async (io: Io, work: (opened: OpenWiki) => void): Promise<void> => {
  const warn = (message: string) =>
    io.err.write(`${io.err.paint.yellow('warning:')} ${cleanText(message)}\n`)
  const opened = await openWiki(io, warn)
  try {
    work(opened)
  } finally {
    opened.close()
  }
}
