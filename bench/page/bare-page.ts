/** The baseline of the page: it asks for the status of all Live streams every second and renders the whole list anew. */
export const BARE_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Live streams</title>
<link rel="icon" href="data:,">
<h1>Live streams</h1>
<table><thead><tr><th>Name<th>State<th>Since<th>Source<th>Qualities<th>Destinations</thead><tbody></tbody></table>
<script>
  const body = document.querySelector('tbody');
  const escaped = (text) => String(text ?? '').replace(/[&<>"]/g, (sign) => '&#' + sign.charCodeAt(0) + ';');
  const rate = ({ fps, bitrate_kbps }) => (fps ?? 0) + ' fps, ' + (bitrate_kbps ?? 0) + ' kbit/s';
  const path = ({ name, primary, backup }) => name + ': ' + primary.state + (backup ? ', ' + backup.state : '');
  const row = (one) => '<tr>' + [
    one.name,
    one.status,
    one.since,
    one.source ? rate(one.source) : '',
    one.encodings.map(rate).join('; '),
    one.publishings.map(path).join('; '),
  ].map((text) => '<td>' + escaped(text)).join('');
  async function look() {
    const response = await fetch('/svcapiv2/livestreams/status?pageSize=500');
    const { rows } = await response.json();
    body.innerHTML = rows.map(row).join('');
    if (performance.getEntriesByName('useful').length === 0 && rows.length > 0)
      requestAnimationFrame(() => setTimeout(() => performance.mark('useful')));
  }
  look();
  setInterval(look, 1000);
</script>
`;
