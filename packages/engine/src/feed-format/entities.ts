/** Names by code point: the first table starts at U+00A0 and has no gaps. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'

/** From U+0391 and U+03B1; `-` is a gap. */
const GREEK_CAPITALS =
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega'
const GREEK_SMALL =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega'

/** From U+0100, with the names of ISO Latin 2 and later HTML; Central European feeds use these. */
const LATIN_EXTENDED =
  'Amacr amacr Abreve abreve Aogon aogon Cacute cacute Ccirc ccirc Cdot cdot Ccaron ccaron Dcaron dcaron Dstrok dstrok Emacr emacr - - Edot edot Eogon eogon Ecaron ecaron Gcirc gcirc Gbreve gbreve Gdot gdot Gcedil - Hcirc hcirc Hstrok hstrok Itilde itilde Imacr imacr - - Iogon iogon Idot inodot IJlig ijlig Jcirc jcirc Kcedil kcedil kgreen Lacute lacute Lcedil lcedil Lcaron lcaron Lmidot lmidot Lstrok lstrok Nacute nacute Ncedil ncedil Ncaron ncaron napos ENG eng Omacr omacr - - Odblac odblac OElig oelig Racute racute Rcedil rcedil Rcaron rcaron Sacute sacute Scirc scirc Scedil scedil Scaron scaron Tcedil tcedil Tcaron tcaron Tstrok tstrok Utilde utilde Umacr umacr Ubreve ubreve Uring uring Udblac udblac Uogon uogon Wcirc wcirc Ycirc ycirc Yuml Zacute zacute Zdot zdot Zcaron zcaron'

/** The rest of HTML 4, and later names that feeds use. */
const SINGLE =
  'amp:38 AMP:38 lt:60 LT:60 gt:62 GT:62 quot:34 QUOT:34 apos:39 Tab:9 NewLine:10 excl:33 num:35 dollar:36 percnt:37 lpar:40 rpar:41 ast:42 plus:43 comma:44 period:46 sol:47 colon:58 semi:59 equals:61 quest:63 commat:64 lsqb:91 lbrack:91 bsol:92 rsqb:93 rbrack:93 Hat:94 lowbar:95 grave:96 lcub:123 lbrace:123 verbar:124 vert:124 rcub:125 rbrace:125 NonBreakingSpace:160 COPY:169 REG:174 half:189 fnof:402 imath:305 circ:710 caron:711 breve:728 dot:729 ring:730 ogon:731 tilde:732 thetasym:977 upsih:978 piv:982 ensp:8194 emsp:8195 numsp:8199 puncsp:8200 thinsp:8201 hairsp:8202 ZeroWidthSpace:8203 zwnj:8204 zwj:8205 lrm:8206 rlm:8207 hyphen:8208 dash:8208 ndash:8211 mdash:8212 horbar:8213 lsquo:8216 rsquo:8217 rsquor:8217 sbquo:8218 lsquor:8218 ldquo:8220 rdquo:8221 rdquor:8221 bdquo:8222 ldquor:8222 dagger:8224 Dagger:8225 bull:8226 bullet:8226 nldr:8229 hellip:8230 mldr:8230 permil:8240 prime:8242 Prime:8243 lsaquo:8249 rsaquo:8250 oline:8254 frasl:8260 NoBreak:8288 euro:8364 incare:8453 image:8465 numero:8470 weierp:8472 real:8476 trade:8482 TRADE:8482 alefsym:8501 frac13:8531 frac23:8532 frac15:8533 frac18:8539 frac38:8540 frac58:8541 frac78:8542 larr:8592 uarr:8593 rarr:8594 darr:8595 harr:8596 crarr:8629 lArr:8656 uArr:8657 rArr:8658 dArr:8659 hArr:8660 forall:8704 part:8706 exist:8707 empty:8709 nabla:8711 isin:8712 notin:8713 ni:8715 prod:8719 sum:8721 minus:8722 lowast:8727 radic:8730 prop:8733 infin:8734 ang:8736 and:8743 or:8744 cap:8745 cup:8746 int:8747 there4:8756 sim:8764 cong:8773 asymp:8776 ne:8800 equiv:8801 le:8804 ge:8805 sub:8834 sup:8835 nsub:8836 sube:8838 supe:8839 oplus:8853 otimes:8855 perp:8869 sdot:8901 lceil:8968 rceil:8969 lfloor:8970 rfloor:8971 lang:10216 rang:10217 loz:9674 star:9734 starf:9733 phone:9742 female:9792 male:9794 spades:9824 clubs:9827 hearts:9829 diams:9830 sung:9834 flat:9837 sharp:9839 check:10003 cross:10007 fflig:64256 filig:64257 fllig:64258'

/** The characters of windows-1252 at 128 to 159, which authors' numeric references mean. */
export const WINDOWS_1252 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178'

const NAMED = new Map<string, string>()
const nameRange = (names: string, first: number) => {
  for (const [index, name] of names.split(' ').entries()) {
    NAMED.set(name, String.fromCharCode(first + index))
  }
}
nameRange(LATIN, 0xa0)
nameRange(LATIN_EXTENDED, 0x100)
nameRange(GREEK_CAPITALS, 0x391)
nameRange(GREEK_SMALL, 0x3b1)
for (const pair of SINGLE.split(' ')) {
  const [name = '', code] = pair.split(':')
  NAMED.set(name, String.fromCharCode(Number(code)))
}

const REFERENCE = /&(?:#[xX]([0-9a-fA-F]{1,8});?|#(\d{1,10});?|([A-Za-z][A-Za-z0-9]{1,30});)/y

/**
 * Replaces character references once: the five of XML, HTML's names even without a DTD, and
 * numbers, where 128 to 159 mean windows-1252 as in browsers. Unknown references, such as a bare
 * `&` or an entity of the document's own DTD, are left as they are.
 */
export const decodeEntities = (text: string): string => {
  let at = text.indexOf('&')
  if (at === -1) return text
  let decoded = ''
  let from = 0
  for (; at !== -1; at = text.indexOf('&', at)) {
    const common = COMMON.find(({ written }) => text.startsWith(written, at))
    const found = common ?? readReference(text, at)
    if (found === null) at++
    else {
      decoded += text.slice(from, at) + found.character
      at += found.written.length
      from = at
    }
  }
  return decoded + text.slice(from)
}

interface Reference {
  written: string
  character: string
}

/** Nearly all references in feeds; the general lookup is several times as slow. */
const COMMON: readonly Reference[] = [
  { written: '&lt;', character: '<' },
  { written: '&gt;', character: '>' },
  { written: '&amp;', character: '&' },
  { written: '&quot;', character: '"' },
]

const readReference = (text: string, at: number): Reference | null => {
  REFERENCE.lastIndex = at
  const match = REFERENCE.exec(text)
  if (match === null) return null
  const [written, hex, decimal, name] = match
  const character =
    name === undefined
      ? fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
      : (NAMED.get(name) ?? NAMED.get(name.toLowerCase()))
  return character === undefined ? null : { written, character }
}

/** Replaces only numeric references: in plain text they are never meant literally. */
export const decodeNumeric = (text: string): string =>
  text.includes('&#')
    ? text.replace(/&#[xX]?[0-9a-fA-F]{1,8};/g, (all) => decodeEntities(all))
    : text

const fromCodePoint = (code: number): string => {
  if (code >= 128 && code < 160) return WINDOWS_1252.charAt(code - 128)
  if (code < 32 && code !== 9 && code !== 10 && code !== 13) return ''
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return '\ufffd'
  return String.fromCodePoint(code)
}
