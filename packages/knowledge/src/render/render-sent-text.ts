import { type Rendered, renderMarkdown } from './render-markdown.ts'

/** Addresses by name and by path; those that lead nowhere are left out. */
export interface KnownLinks {
  names: ReadonlyMap<string, string>
  paths: ReadonlyMap<string, string>
}

export interface SentText {
  text: string
  links: KnownLinks
}

export interface RenderedText {
  rendered: Rendered
  /** What the text links to, whether it is known or not. */
  names: string[]
  paths: string[]
}

/** Runs in a thread, which cannot ask where a link leads. */
export const read = ({ text, links }: SentText): RenderedText => {
  const names = new Set<string>()
  const paths = new Set<string>()
  const rendered = renderMarkdown(text, {
    resolveName: (name) => {
      names.add(name)
      return links.names.get(name)
    },
    resolvePath: (path) => {
      paths.add(path)
      return links.paths.get(path)
    },
  })
  return { rendered, names: [...names], paths: [...paths] }
}
