import { existsSync } from 'node:fs'
import { EGRESS_MOUNT, EGRESS_PORT, REDIRECT_PORT } from './egress.ts'
import { forwarderArgs, NAMES_FILE, NODE_MOUNT, SOCKET_FILE } from './forwarder.ts'

export const SMALL_FORWARDER_FILE = 'forwarder.pl'

/** Where systems that have Perl have it; a sandbox shows the system's programs. */
const PERL = '/usr/bin/perl'

/**
 * The forwarder that stays beside a shell. Every sandbox has one, so it is written for little memory:
 * without modules, Perl takes a tenth of what Node does. Constants are those of Linux. A side is only
 * read while the other one has taken everything, so that nothing piles up. A redirected connection
 * asks the proxy for the address that the program wanted; a refusal resets it.
 */
export const SMALL_FORWARDER_SOURCE = `my ($path, $port, $redirected, $names) = @ARGV;
my ($IPV4, $IPV6, $UNIX, $STREAM, $DATAGRAM) = (2, 10, 1, 1, 2);
my ($SOCKET, $REUSE, $LINGER, $SET_FLAGS, $NONBLOCK) = (1, 2, 13, 4, 2048);
my ($IP_OPTIONS, $IPV6_OPTIONS, $ORIGINAL, $ONLY_IPV6) = (0, 41, 80, 26);
my ($DNS, $DNS_BYTES, $MAX_QUERIES) = (53, 512, 64);
my %AGAIN = (4 => 1, 11 => 1);
my (%handle, %peer, %waiting, %ended, %answer, %query);

sub fail { print STDERR "egress forwarder: $_[0]: $!\\n"; exit 125 }

sub drop {
  for my $side ($_[0], $peer{$_[0]}) {
    close $handle{$side};
    delete $_->{$side} for \\%handle, \\%waiting, \\%ended, \\%answer;
  }
  delete @peer{$_[0], $peer{$_[0]}};
}

sub refuse {
  setsockopt $handle{$peer{$_[0]}}, $SOCKET, $LINGER, pack('ii', 1, 0);
  drop($_[0]);
}

sub pass_end {
  my $to = $peer{$_[0]};
  return if length $waiting{$to};
  shutdown $handle{$to}, 1;
  drop($to) if $ended{$to} && !length $waiting{$_[0]};
}

sub flush {
  my ($to) = @_;
  my $written = syswrite $handle{$to}, $waiting{$to};
  if (!defined $written) { drop($to) unless $AGAIN{$! + 0}; return }
  substr($waiting{$to}, 0, $written) = '';
  pass_end($peer{$to}) if $ended{$peer{$to}};
}

sub take {
  my ($from) = @_;
  my $read = sysread $handle{$from}, my $bytes, 65536;
  if (!defined $read) { drop($from) unless $AGAIN{$! + 0}; return }
  return refuse($from) if $read == 0 && exists $answer{$from};
  if ($read == 0) { $ended{$from} = 1; pass_end($from); return }
  if (exists $answer{$from}) {
    $answer{$from} .= $bytes;
    my $end = index $answer{$from}, "\\r\\n\\r\\n";
    return if $end < 0;
    return refuse($from) if $answer{$from} !~ /^HTTP\\/1\\.1 200 /;
    $bytes = substr delete $answer{$from}, $end + 4;
    return unless length $bytes;
  }
  $waiting{$peer{$from}} = $bytes;
  flush($peer{$from});
}

sub open_unix {
  my $outer;
  return unless socket($outer, $UNIX, $STREAM, 0) && connect($outer, pack('S Z108', $UNIX, $_[0]));
  fcntl $outer, $SET_FLAGS, $NONBLOCK;
  return $outer;
}

sub join_sides {
  my ($inner, $outer, $first) = @_;
  return close $inner unless $outer;
  my ($in, $out) = (fileno $inner, fileno $outer);
  fcntl $inner, $SET_FLAGS, $NONBLOCK;
  @handle{$in, $out} = ($inner, $outer);
  @peer{$in, $out} = ($out, $in);
  @waiting{$in, $out} = ('', $first);
  $answer{$out} = '' if length $first;
}

sub begin {
  return unless accept my $inner, $_[0];
  join_sides($inner, open_unix($path), '');
}

sub begin_redirected {
  my ($server, $level) = @_;
  return unless accept my $inner, $server;
  my $original = getsockopt $inner, $level, $ORIGINAL;
  return close $inner unless $original;
  my (undef, $to, @four) = unpack 'S n C4', $original;
  return join_sides($inner, open_unix($names), '') if $to == $DNS;
  my $host = join '.', @four;
  $host = sprintf '[%s]', join ':', map { sprintf '%x', $_ } unpack 'x8 n8', $original
    if $level == $IPV6_OPTIONS;
  my $goal = "$host:$to";
  join_sides($inner, open_unix($path), "CONNECT $goal HTTP/1.1\\r\\nHost: $goal\\r\\n\\r\\n");
}

sub ask {
  return unless defined(my $from = recv $_[0], my $text, 4096, 0);
  return if length $text < 12 || keys %query >= $MAX_QUERIES;
  return unless my $outer = open_unix($names);
  syswrite $outer, pack('n/a*', $text);
  $query{fileno $outer} = [$outer, $from, $text, ''];
}

sub answer_query {
  my ($udp, $side) = @_;
  my ($outer, $from, $text) = @{$query{$side}};
  my $read = sysread $outer, my $bytes, 65536;
  return if !defined $read && $AGAIN{$! + 0};
  my $all = $query{$side}[3] .= $bytes;
  if ($read) {
    return if length $all < 2 || length $all < 2 + unpack 'n', $all;
    my $answer = unpack 'n/a*', $all;
    # Longer answers are asked for again over TCP.
    $answer = pack('a2 n n x6', $answer, 0x200 | unpack('x2 n', $answer), 1)
      . substr($text, 12, index($text, "\\0", 12) - 7) if length $answer > $DNS_BYTES;
    send $udp, $answer, 0, $from;
  }
  close $outer;
  delete $query{$side};
}

sub listen_at {
  my ($family, $address) = @_;
  return unless socket(my $server, $family, $STREAM, 0);
  setsockopt $server, $SOCKET, $REUSE, pack('i', 1);
  setsockopt $server, $IPV6_OPTIONS, $ONLY_IPV6, pack('i', 1) if $family == $IPV6;
  return unless bind($server, $address) && listen($server, 128);
  fcntl $server, $SET_FLAGS, $NONBLOCK;
  return $server;
}

$SIG{PIPE} = 'IGNORE';
my (%servers, $udp);
my $loopback = sub { pack 'S n C4 x8', $IPV4, $_[0], 127, 0, 0, 1 };
if ($redirected) {
  my $four = listen_at($IPV4, $loopback->($redirected)) or fail('redirected');
  $servers{fileno $four} = sub { begin_redirected($four, $IP_OPTIONS) };
  my $six = listen_at($IPV6, pack 'S n N a16 N', $IPV6, $redirected, 0, "\\0" x 15 . "\\1", 0);
  $servers{fileno $six} = sub { begin_redirected($six, $IPV6_OPTIONS) } if $six;
  socket($udp, $IPV4, $DATAGRAM, 0) && bind($udp, $loopback->($redirected)) or fail('names');
  fcntl $udp, $SET_FLAGS, $NONBLOCK;
  $servers{fileno $udp} = sub { ask($udp) };
}
my $proxy = listen_at($IPV4, $loopback->($port)) or fail('proxy');
$servers{fileno $proxy} = sub { begin($proxy) };
while (1) {
  my ($reads, $writes) = ('', '');
  vec($reads, $_, 1) = 1 for keys %servers, keys %query;
  for my $side (keys %handle) {
    vec($reads, $side, 1) = 1 if !$ended{$side} && !length $waiting{$peer{$side}};
    vec($writes, $side, 1) = 1 if length $waiting{$side};
  }
  next if select($reads, $writes, undef, undef) < 0;
  for my $side (keys %handle) {
    flush($side) if exists $handle{$side} && vec($writes, $side, 1) && length $waiting{$side};
    take($side) if exists $handle{$side} && vec($reads, $side, 1) && !length $waiting{$peer{$side}};
  }
  for my $side (keys %query) { answer_query($udp, $side) if vec($reads, $side, 1) }
  for my $side (keys %servers) { $servers{$side}->() if vec($reads, $side, 1) }
}
`

/** Whether the small forwarder runs here, which alone can forward redirected connections. */
export const hasSmallForwarder = (): boolean => existsSync(PERL)

/**
 * The command that forwards beside a shell; `redirected` also where connections to any address
 * arrive. Images of containers need not have Perl.
 */
export const forwarderBeside = (driver: string, redirected = false): readonly string[] =>
  driver === 'bubblewrap' && hasSmallForwarder()
    ? [
        PERL,
        `${EGRESS_MOUNT}/${SMALL_FORWARDER_FILE}`,
        `${EGRESS_MOUNT}/${SOCKET_FILE}`,
        String(EGRESS_PORT),
        ...(redirected ? [String(REDIRECT_PORT), `${EGRESS_MOUNT}/${NAMES_FILE}`] : []),
      ]
    : [NODE_MOUNT, ...forwarderArgs()]
