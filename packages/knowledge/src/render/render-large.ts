import { setImmediate } from 'node:timers/promises'
import { LIMITS } from '@steward/contract'
import { createReaderThreads, type ReaderThreadsOptions } from '@steward/platform'
import type { LinkPorts } from './link-ports.ts'
import { MARKDOWN_MODULE } from './markdown-module.ts'
import { type Rendered, renderMarkdown } from './render-markdown.ts'
import type { KnownLinks, RenderedText, SentText } from './render-sent-text.ts'

export type RenderText = (text: string, ports: LinkPorts) => Promise<Rendered>

/** Even a hostile text of this size takes hardly longer than a thread takes to start. */
const SMALL_CHARS = 8 * 1024

/**
 * Renders large texts in threads that can be ended. A thread cannot look up links, so it first says
 * which ones there are; most texts have few, and the second rendering delays no other work.
 */
export const createLargeRendering = (
  options: Partial<Pick<ReaderThreadsOptions, 'limitMs' | 'startTimer'>> = {},
): RenderText => {
  const threads = createReaderThreads<SentText, RenderedText>({
    module: MARKDOWN_MODULE,
    limitMs: LIMITS.markdownMs,
    heapBytes: LIMITS.markdownHeapBytes,
    ...options,
  })
  const render = (text: string, links: KnownLinks): Promise<RenderedText> =>
    threads.read({ text, links }, 'the text to be shown')
  return async (text, ports) => {
    if (text.length <= SMALL_CHARS) return renderMarkdown(text, ports)
    const { rendered, names, paths } = await render(text, NO_LINKS)
    const links = {
      names: await lookUp(names, ports.resolveName),
      paths: await lookUp(paths, ports.resolvePath),
    }
    if (links.names.size + links.paths.size === 0) return rendered
    return (await render(text, links)).rendered
  }
}

/** In this thread, whatever the size: for programs that serve no requests meanwhile. */
export const renderHere: RenderText = async (text, ports) => renderMarkdown(text, ports)

let shared: RenderText | undefined

/** One for the process: idle threads end. */
export const renderLarge: RenderText = (text, ports) => {
  shared ??= createLargeRendering()
  return shared(text, ports)
}

const NO_LINKS: KnownLinks = { names: new Map(), paths: new Map() }
const LOOKED_UP_AT_ONCE = 200

const lookUp = async (
  targets: readonly string[],
  resolve: (target: string) => string | undefined = () => undefined,
): Promise<Map<string, string>> => {
  const known = new Map<string, string>()
  for (const [index, target] of targets.entries()) {
    if (index % LOOKED_UP_AT_ONCE === LOOKED_UP_AT_ONCE - 1) await setImmediate()
    const address = resolve(target)
    if (address !== undefined) known.set(target, address)
  }
  return known
}
