
export default function ({ parentElement, data, setStateValue }) {
  return mount(Marker, parentElement, data, (queue) => setStateValue('said', { ...queue }));
}
