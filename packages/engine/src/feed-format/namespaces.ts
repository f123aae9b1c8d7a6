/** The supported namespaces by the prefix used in this folder; `''` is feed markup. */
const NAMESPACES: [prefix: string, uris: string[]][] = [
  [
    '',
    [
      'http://www.w3.org/2005/atom',
      'http://purl.org/atom/ns',
      'http://example.com/newformat',
      'http://purl.org/rss/1.0',
      'http://purl.org/net/rss1.1',
      'http://my.netscape.com/rdf/simple/0.9',
      'http://my.netscape.com/publish/formats/rss-0.91.dtd',
      'http://channel.netscape.com/rdf/simple/0.9',
      'http://backend.userland.com/rss',
      'http://backend.userland.com/rss2',
      'http://blogs.law.harvard.edu/tech/rss',
      'http://cyber.law.harvard.edu/rss',
    ],
  ],
  ['rdf', ['http://www.w3.org/1999/02/22-rdf-syntax-ns']],
  ['content', ['http://purl.org/rss/1.0/modules/content']],
  ['dc', ['http://purl.org/dc/elements/1.1', 'http://purl.org/dc/elements/1.0']],
  ['dcterms', ['http://purl.org/dc/terms']],
  ['media', ['http://search.yahoo.com/mrss', 'http://search.yahoo.com/mrss/#']],
  [
    'itunes',
    ['http://www.itunes.com/dtds/podcast-1.0.dtd', 'http://example.com/dtds/podcast-1.0.dtd'],
  ],
  ['feedburner', ['http://rssnamespace.org/feedburner/ext/1.0']],
  ['xhtml', ['http://www.w3.org/1999/xhtml', 'http://www.w3.org/tr/rec-html40']],
]

const BY_URI = new Map(
  NAMESPACES.flatMap(([prefix, uris]) => uris.map((uri): [string, string] => [uri, prefix])),
)

/** Prefixes that mean feed markup even if undeclared. */
const FEED_PREFIXES = new Set(['', 'atom', 'atom10', 'atom03', 'a10', 'rss', 'rss10', 'rss09'])
const KNOWN_PREFIXES = new Set(NAMESPACES.map(([prefix]) => prefix))

/** Our prefix for a document's prefix, by the address it is bound to. */
export const prefixOf = (declared: string, uri: string): string => {
  const known = BY_URI.get(
    uri
      .trim()
      .toLowerCase()
      .replace(/(?<![/#])[/#]+$/, ''),
  )
  return known ?? usualPrefix(declared)
}

/** An undeclared prefix most likely means itself. */
export const usualPrefix = (declared: string): string => {
  const lower = declared.toLowerCase()
  if (FEED_PREFIXES.has(lower)) return ''
  if (lower === 'googleplay') return 'itunes'
  return KNOWN_PREFIXES.has(lower) ? lower : `other-${lower}`
}
