const words = (text: string): Set<string> => new Set(text.trim().split(/\s+/))

/** One entry of a feed in any format. */
export const ITEMS = words('item entry')

/** Contain text or markup of their own and never feed elements: read as one piece. */
export const TEXTS = words(`
  title description summary content content:encoded encoded subtitle tagline abstract body fulltext fullitem
  dc:title dc:description dcterms:abstract itunes:title itunes:summary itunes:subtitle
  media:title media:description media:text xhtml:body xhtml:div xhtml:content
`)

/** Contain one plain value; a feed element that opens inside means that the end tag is missing. */
export const VALUES = words(`
  link guid id pubdate published updated modified issued created date name email uri category
  enclosure comments url language copyright generator
  dc:date dc:creator dc:author dc:subject dc:identifier dc:language dc:publisher
  dcterms:created dcterms:issued dcterms:modified dcterms:creator dcterms:date dcterms:available
  itunes:author itunes:keywords media:category media:keywords media:credit feedburner:origlink
  feedburner:origenclosurelink
`)

const CONTAINERS = words(`
  rss rdf:rdf feed channel rdf:channel items rdf:seq image textinput author source media:group media:content
  itunes:owner itunes:category
`)

/** Everything that is kept; other elements are skipped. */
export const KNOWN: ReadonlySet<string> = new Set([
  ...ITEMS,
  ...TEXTS,
  ...VALUES,
  ...CONTAINERS,
  'a',
])

/** A text element still open where one of these ends has lost its end tag. */
export const BOUNDARIES = words('item entry channel rss feed rdf:rdf')
